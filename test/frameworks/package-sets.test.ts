import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type LayerBounds, type LayerLease } from '../../src/modules/builds/package-layers.js';
import { PACKAGE_SETS, type PackageSetName } from '../../src/modules/sandbox/domain/packages.js';
import { type SandboxOutcome } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { choiceOfSet } from '../../src/modules/sandbox/packages/package-sets.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { Workbench } from '../builds/workbench.js';
import { npmRegistry } from '../support/npm-registry.js';

const MEBIBYTE = 1_048_576;
const BOUNDS: LayerBounds = { bytes: 600 * MEBIBYTE, files: 40_000, allBytes: 4_096 * MEBIBYTE };
const SIGNAL = new AbortController().signal;

/** What proves that the packages of a set do their work, by default limits, and what it prints. */
const PROGRAMS = {
  'python-data': {
    language: 'python',
    code: `
import io, numpy, pandas, requests
import matplotlib.pyplot as plt
frame = pandas.DataFrame({"x": numpy.arange(4), "y": numpy.arange(4) ** 2})
print(int(frame.y.sum()), requests.__name__)
frame.plot(x="x", y="y")
image = io.BytesIO()
plt.savefig(image, format="png")
print(image.getvalue()[1:4].decode())`,
    prints: '14 requests\nPNG\n',
  },
  'node-common': {
    language: 'javascript',
    code: `
import { load } from 'cheerio'; import { addDays } from 'date-fns'; import dayjs from 'dayjs';
import lodash from 'lodash'; import { nanoid } from 'nanoid'; import papa from 'papaparse';
import { v4 } from 'uuid'; import { z } from 'zod';
console.log(load('<b>bold</b>')('b').text(), addDays(new Date(0), 1).getTime(), dayjs(0).valueOf(),
  lodash.chunk([1, 2, 3], 2).length, nanoid().length, papa.parse('a,b').data[0].length, v4().length,
  z.string().parse('text'));`,
    prints: 'bold 86400000 0 2 21 2 36 text\n',
  },
} as const;

/** The indexes that pip is configured with, if they are directories of this machine, as a server that builds reach. */
async function localIndex(): Promise<Server | null> {
  const said = execFileSync('/usr/bin/python3', ['-m', 'pip', 'config', 'list'], { encoding: 'utf8' });
  const roots = [...new Set(said.match(/file:\/\/[^\s']+/g))].map((each) => join(fileURLToPath(each), '..'));
  if (roots.length === 0) return null;
  const server = createServer(({ url = '' }, response) => {
    const name = normalize(decodeURIComponent(url));
    const paths = roots.map((root) => join(root, name, name.endsWith('/') ? 'index.html' : ''));
    const files = paths.filter((path) => existsSync(path));
    if (files.length === 0) response.writeHead(404).end();
    else if (name.endsWith('/')) {
      response.setHeader('content-type', 'text/html');
      response.end(files.map((file) => readFileSync(file, 'utf8')).join('\n'));
    } else createReadStream(files[0]!).pipe(response);
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  return server;
}

const answers = async (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

describe('the sets of packages of the sandbox, from the registries', () => {
  let bench: Workbench;
  let index: Server | null = null;
  let hasIndex = true;
  const leases: LayerLease[] = [];

  beforeAll(async () => {
    let pip = process.env['PIP_INDEX_URL'] ?? 'https://pypi.org/simple';
    if (!(await answers(`${pip}/six/`))) {
      index = await localIndex();
      hasIndex = index !== null;
      if (index !== null) pip = `http://127.0.0.2:${(index.address() as AddressInfo).port}/simple`;
    }
    bench = new Workbench({ allowedHosts: [npmRegistry().host], layerRegistries: { npm: npmRegistry().href, pip } });
  });
  afterAll(async () => {
    for (const lease of leases) lease.release();
    index?.close();
    await bench.close();
  });

  async function layerOf(name: PackageSetName): Promise<string> {
    const { layers } = bench.builds;
    const { ecosystem, packages } = choiceOfSet(name);
    const lock = await layers.lock(ecosystem, packages, SIGNAL);
    if ((await layers.lease(lock)) === null) await layers.install(lock, BOUNDS, SIGNAL);
    leases.push((await layers.lease(lock))!);
    return leases.at(-1)!.directory;
  }

  it.each(PACKAGE_SETS.flatMap((name) => (['auto', 'off'] as const).map((cgroups) => [name, cgroups] as const)))(
    '%s works in a run with default limits and cgroups %s',
    async (name, cgroups) => {
      if (name === 'python-data' && !hasIndex) {
        console.warn('LEFT OUT: no index of Python packages can be reached from this machine.');
        return;
      }
      const directory = await layerOf(name);
      const limits = { timeoutMs: 30_000, memoryBytes: 256 * MEBIBYTE, outputBytes: MEBIBYTE, processes: 64 };
      const runtime = new PooledRuntime(
        new Isolation({ cgroups, cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' }),
        { concurrency: 1, limits, forkServer: 'off', poolSize: 0 },
      );
      try {
        expect(await runtime.probe()).toMatchObject({ available: true });
        const { language, code, prints } = PROGRAMS[name];
        const run = { id: 'exe_test', language, code, stdin: '', packages: { directory }, limits };
        const outcome: SandboxOutcome = await runtime.run(run);
        expect(outcome).toMatchObject({ status: 'succeeded', stdout: prints });
      } finally {
        await runtime.close();
      }
    },
    300_000,
  );
});

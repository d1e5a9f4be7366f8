import { type LayerBounds, type LayerLease } from '../../src/modules/builds/package-layers.js';
import { PACKAGE_SETS, type PackageSetName } from '../../src/modules/sandbox/domain/packages.js';
import { type SandboxOutcome } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { choiceOfSet } from '../../src/modules/sandbox/domain/package-sets.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { Workbench } from '../builds/workbench.js';
import { npmRegistry } from '../support/npm-registry.js';
import { type PythonIndex, pythonIndex } from '../support/python-index.js';

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

describe('the sets of packages of the sandbox, from the registries', () => {
  let bench: Workbench;
  let index: PythonIndex | null;
  const leases: LayerLease[] = [];

  beforeAll(async () => {
    index = await pythonIndex();
    const pip = index?.url ?? 'https://pypi.org/simple';
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
      if (name === 'python-data' && index === null) {
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

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { IsolationDidNotStart } from '../../../src/platform/isolation/isolation-spec.js';
import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { type NetworkRules } from '../../../src/platform/isolation/network/network-rules.js';
import { hasNetworkDevice } from '../../support/network-device.js';
import { eventually } from '../../support/test-app.js';
import { listening, TestHosts } from '../../support/test-hosts.js';
import { launchPython } from './networked-python.js';

const RULES: NetworkRules = { reach: 'public', listed: [], exempt: [], refused: [] };
const USUAL_PLACES = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin', '/usr/local/sbin'];
const START_TIMEOUT_MS = 3_000;
const MOST_MS = 3 * START_TIMEOUT_MS;

(hasNetworkDevice ? describe : describe.skip)('a program whose network cannot be prepared', () => {
  const places = mkdtempSync(join(tmpdir(), 'network-tools-'));
  chmodSync(places, 0o755);
  const isolation = new Isolation({
    cgroups: 'auto',
    copiesDirectory: '/var/lib/service-platform/runtime',
    startTimeoutMs: START_TIMEOUT_MS,
    networkPlaces: [places, ...USUAL_PLACES],
  });

  const replaced = (program: string, script: string): string => {
    const path = join(places, program);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  afterAll(async () => {
    await isolation.close();
    rmSync(places, { recursive: true });
  });

  it.each([
    [
      'cannot be entered',
      'nsenter',
      `echo "nsenter: reassociate to namespace 'ns/net' failed: Invalid argument" >&2; exit 1`,
      /Invalid argument/,
    ],
    ['has nothing that carries its packets', 'slirp4netns', 'echo "cannot setns" >&2; exit 1', /slirp4netns has ended/],
    ['is never ready', 'slirp4netns', 'sleep 60', /not ready after/],
    ['cannot be created', 'unshare', 'exit 1', /could not create a network|it said nothing/],
  ])('fails within its time when the network %s, and starts later', async (_why, program, script, message) => {
    const path = replaced(program, script);
    const startedAt = performance.now();
    const launching = launchPython(isolation, RULES, 'print("up")');
    await expect(launching).rejects.toThrow(IsolationDidNotStart);
    await expect(launching).rejects.toThrow(message);
    expect(performance.now() - startedAt).toBeLessThan(MOST_MS);

    rmSync(path);
    const { program: later, lines } = await launchPython(isolation, RULES, 'print("up")');
    await later.gone;
    await eventually(() => lines.includes('up'), 'the next program runs');
  });
});

(hasNetworkDevice && process.getuid?.() === 0 ? describe : describe.skip)('a machine whose mounts are shared', () => {
  const isolation = new Isolation({ cgroups: 'auto', copiesDirectory: '/var/lib/service-platform/runtime' });
  const directory = mkdtempSync(join(tmpdir(), 'shared-mounts-'));
  const inner = join(directory, 'inner');
  const mounted = (): boolean => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${inner} `);

  beforeAll(() => {
    execFileSync('mount', ['-t', 'tmpfs', 'none', directory]);
    execFileSync('mount', ['--make-shared', directory]);
    mkdirSync(inner);
    execFileSync('mount', ['-t', 'tmpfs', 'none', inner]);
  });

  afterAll(async () => {
    await isolation.close();
    execFileSync('umount', ['--recursive', '--lazy', directory]);
    rmSync(directory, { recursive: true });
  });

  it('keeps them when what carries a network starts', async () => {
    expect(mounted()).toBe(true);
    const { program, lines } = await launchPython(isolation, RULES, 'print("up")');
    await program.gone;
    await eventually(() => lines.includes('up'), 'the program has run');
    expect(mounted()).toBe(true);
  });
});

(TestHosts.obstacle === undefined ? describe : describe.skip)('a host of the tests', () => {
  it('fails with what ip says when its namespace cannot be entered', async () => {
    const name = `no-namespace-${process.pid}`;
    // What remains of a namespace that is no longer mounted.
    const file = join('/run/netns', name);
    const hosts = await TestHosts.start([]);
    writeFileSync(file, '');
    try {
      await expect(listening(name, ['/usr/bin/true'])).rejects.toThrow(
        /did not start: setting the network namespace .+ failed: Invalid argument/,
      );
    } finally {
      rmSync(file);
      await hosts.stop();
    }
  });
});

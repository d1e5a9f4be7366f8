import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ownCgroups } from '../../../src/platform/isolation/cgroups/own-cgroups.js';
import { type CpuShare } from '../../../src/platform/isolation/cpu-share.js';
import { type IsolatedProgram } from '../../../src/platform/isolation/isolated-program.js';
import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { sampleTree } from '../../../src/platform/isolation/process-facts.js';

const MEBIBYTE = 1024 * 1024;
const MEASURED_MS = 2_000;
/** A machine that is busy with other things needs a while to give them enough that a comparison means something. */
const COMPARED_CPU_MS = 2_000;
/** Other load comes in bursts, which favour one or the other for seconds: shares show in the long run. */
const LONGEST_COMPARISON_MS = 60_000;
const PROCESSORS = availableParallelism();
/** Together they want every processor, whatever else runs. */
const busy = (loops: number): string => `for i in $(seq ${loops}); do while :; do :; done & done; wait`;

describe.each(['auto', 'off'] as const)('the processor share of isolated programs, with cgroups %s', (cgroups) => {
  const isolation = new Isolation({ cgroups, copiesDirectory: '/var/lib/service-platform/runtime' });
  const programs: IsolatedProgram[] = [];
  const own: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of own.splice(0)) process.kill(-child.pid!, 'SIGKILL');
    await Promise.all(programs.splice(0).map((program) => program.destroy()));
  });

  afterAll(() => isolation.close());

  const launch = async (script: string, cpu: CpuShare | undefined): Promise<IsolatedProgram> => {
    const program = await isolation.launch({
      command: ['/usr/bin/sh', '-c', script],
      mounts: [{ from: '/usr/bin', to: '/usr/bin' }],
      writable: [],
      directory: '/tmp',
      environment: { PATH: '/usr/bin' },
      network: 'none',
      limits: {
        memoryBytes: 64 * MEBIBYTE,
        tasks: 64,
        openFiles: 64,
        fileBytes: MEBIBYTE,
        scratchBytes: MEBIBYTE,
        wallMs: null,
        cpuMs: null,
        ...(cpu === undefined ? {} : { cpu }),
      },
      output: { line: () => undefined, bytes: 1_000 },
    });
    programs.push(program);
    return program;
  };

  const usedMeanwhile = async (...roots: readonly number[]): Promise<number[]> => {
    const before = roots.map((root) => sampleTree(root).cpuMs);
    await sleep(MEASURED_MS);
    return roots.map((root, index) => sampleTree(root).cpuMs - before[index]!);
  };

  const compared = async (
    roots: readonly [number, number],
    enoughMs: number,
    isExpected: (used: readonly [number, number]) => boolean = () => true,
  ): Promise<[number, number]> => {
    const before = roots.map((root) => sampleTree(root).cpuMs);
    const until = performance.now() + LONGEST_COMPARISON_MS;
    for (;;) {
      await sleep(200);
      const used = roots.map((root, index) => sampleTree(root).cpuMs - before[index]!) as [number, number];
      if ((used[0] + used[1] >= enoughMs && isExpected(used)) || performance.now() > until) return used;
    }
  };

  it('yields to the service under any number of loops', async () => {
    const isolated = await launch(busy(8 * PROCESSORS), { weight: 50 });
    // It would not get to begin them all beside the loops of the service.
    while (sampleTree(isolated.initPid).tasks <= 8 * PROCESSORS) await sleep(20);
    const service = spawn('/bin/sh', ['-c', busy(PROCESSORS)], { detached: true, stdio: 'ignore' });
    own.push(service);

    // Without a share they would have eight times as much.
    const isExpected = ([mine, theirs]: readonly [number, number]): boolean => mine > 1.2 * theirs;
    const used = await compared([service.pid!, isolated.initPid], COMPARED_CPU_MS, isExpected);
    expect(sampleTree(isolated.initPid).tasks).toBeGreaterThan(8 * PROCESSORS);
    expect(used[0]).toBeGreaterThan(1.2 * used[1]);
  });

  it('is divided between programs by weight', async () => {
    const [light, heavy] = [
      await launch(busy(2 * PROCESSORS), { weight: 20 }),
      await launch(busy(2 * PROCESSORS), { weight: 200 }),
    ];
    const isExpected = ([little, much]: readonly [number, number]): boolean => much > 2 * little;
    const [little, much] = await compared([light.initPid, heavy.initPid], COMPARED_CPU_MS, isExpected);
    expect(much).toBeGreaterThan(2 * little);
  });

  it('is capped, also on idle processors', async () => {
    const program = await launch(busy(4), { weight: 100, maxPercent: 20 });
    await sleep(500);
    const [used = 0] = await usedMeanwhile(program.initPid);
    // Four loops would use twice the time that passes, or more; a look from outside comes late on a busy machine.
    expect(used).toBeLessThan(0.5 * MEASURED_MS);
  });

  it('lets a capped program be frozen, resumed and ended', async () => {
    const program = await launch(busy(2), { weight: 100, maxPercent: 10 });
    await sleep(300);
    await program.freeze();
    const [frozen] = await usedMeanwhile(program.initPid);
    expect(frozen).toBe(0);
    program.thaw();
    const [used] = await compared([program.initPid, program.initPid], 20);
    expect(used).toBeGreaterThan(0);
    await program.destroy();
    expect(await program.exited).toMatchObject({ cause: 'destroyed' });
  });

  it('is below the service by default', async () => {
    const program = await launch('sleep 60', undefined);
    if (isLimitedByKernel())
      expect(readFileSync(join(cpuGroupOf(program.initPid), 'cpu.shares'), 'utf8').trim()).toBe('1024');
    else expect(getPriority(program.initPid)).toBeGreaterThan(getPriority(process.pid));
  });

  it('leaves no cgroup behind', async () => {
    const place = ownCgroups().v1('cpu');
    if (place === null || !existsSync(place)) return;
    await Promise.all(programs.map((program) => program.destroy()));
    await isolation.close();
    const left = readdirSync(place, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => name.includes(`isolated-${process.pid}-`))).toEqual([]);
  });

  function isLimitedByKernel(): boolean {
    return isolation.mode === 'cgroup-v1' && ownCgroups().v1('cpu') !== null;
  }
});

function cpuGroupOf(pid: number): string {
  const path = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, controllers = '']) => controllers.split(',').includes('cpu'))![2]!;
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, controllers = '']) => controllers.split(',').includes('cpu'))![2]!;
  return join(ownCgroups().v1('cpu')!, path.slice(own === '/' ? 0 : own.length));
}

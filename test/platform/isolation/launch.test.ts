import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { type IsolatedProgram } from '../../../src/platform/isolation/isolated-program.js';
import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { type LaunchEnd, type LaunchLimits, type LaunchSpec } from '../../../src/platform/isolation/launch-spec.js';
import { isStopped, sampleTree } from '../../../src/platform/isolation/process-facts.js';

const MEBIBYTE = 1024 * 1024;
const LIMITS: LaunchLimits = {
  memoryBytes: 256 * MEBIBYTE,
  tasks: 64,
  openFiles: 256,
  fileBytes: 64 * MEBIBYTE,
  scratchBytes: 16 * MEBIBYTE,
  wallMs: 20_000,
  cpuMs: 20_000,
};
const asRoot = process.getuid?.() === 0 ? it : it.skip;

describe.each(['auto', 'off'] as const)('a launched program, with cgroups %s', (cgroups) => {
  const isolation = new Isolation({ cgroups, cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' });
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'launch-'));
    chmodSync(directory, 0o755);
  });

  afterAll(async () => {
    await isolation.close();
    rmSync(directory, { recursive: true });
  });

  const shell = async (
    script: string,
    change: Partial<LaunchSpec> = {},
  ): Promise<{ program: IsolatedProgram; lines: string[]; end: Promise<LaunchEnd> }> => {
    const lines: string[] = [];
    const program = await isolation.launch({
      command: ['/usr/bin/sh', '-c', script],
      mounts: [{ from: '/usr/bin', to: '/usr/bin' }],
      writable: [],
      directory: '/tmp',
      environment: { PATH: '/usr/bin' },
      network: 'none',
      limits: LIMITS,
      output: { line: (stream, line) => lines.push(`${stream}: ${line}`), bytes: 100_000 },
      ...change,
    });
    return { program, lines, end: program.gone.then(() => program.exited) };
  };

  it('starts children, is read by lines, and ends with its own status', async () => {
    const { lines, end } = await shell('echo one; (echo two >&2); cat; printf three; exit 7', {
      stdin: Buffer.from('in\n'),
    });
    expect(await end).toMatchObject({ cause: 'exit', exitStatus: 7 });
    expect(lines.sort()).toEqual(['stderr: two', 'stdout: in', 'stdout: one', 'stdout: three']);
  });

  it('ends its children with it', async () => {
    const { program, lines, end } = await shell('sleep 60 & sleep 60 & echo up; sleep 2');
    for (let wait = 0; lines.length === 0 && wait < 500; wait++) await sleep(10);
    const { pids } = sampleTree(program.initPid);
    expect(await end).toMatchObject({ cause: 'exit', exitStatus: 0 });
    expect(pids.length).toBeGreaterThan(2);
    expect(pids.filter((pid) => !isStopped(pid))).toEqual([]);
  });

  it('writes only where it may, as its own user', async () => {
    const work = join(directory, `work-${cgroups}`);
    mkdirSync(work, { mode: 0o700 });
    const user = isolation.lendUser();
    await user.own(work);
    const first = await shell(
      'echo kept > /work/file; for place in / /usr/bin /proc/sys/kernel; ' +
        'do echo x > $place/file && echo "wrote to $place"; done 2>/dev/null; id -u',
      {
        writable: [{ from: work, to: '/work' }],
        user,
      },
    );
    expect(await first.end).toMatchObject({ cause: 'exit', exitStatus: 0 });
    expect(first.lines).toEqual(['stdout: 1000']);
    const second = await shell('cat file', {
      mounts: [
        { from: '/usr/bin', to: '/usr/bin' },
        { from: work, to: '/work' },
      ],
      directory: '/work',
      user,
    });
    await second.end;
    expect(second.lines).toEqual(['stdout: kept']);
    user.giveBack();
  });

  asRoot('is not root where the service is', async () => {
    const { program } = await shell('sleep 60');
    const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${program.initPid}/status`, 'utf8'))![1];
    expect(uid).not.toBe('0');
    await program.destroy();
  });

  it('shows its environment in no command line of the host', async () => {
    const { program, lines } = await shell('echo $SECRET; sleep 60', {
      environment: { PATH: '/usr/bin', SECRET: 'a secret of a project' },
    });
    for (let wait = 0; lines.length === 0 && wait < 500; wait++) await sleep(10);
    expect(lines).toEqual(['stdout: a secret of a project']);
    const { pids } = sampleTree(process.pid);
    expect(pids.length).toBeGreaterThan(2);
    for (const pid of pids) expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).not.toContain('a secret');
    await program.destroy();
  });

  it.each([
    ['wall_time', 'sleep 60', { wallMs: 300 }],
    ['cpu_time', 'while :; do :; done', { cpuMs: 300 }],
    [
      'memory',
      "sh -c 'x=$(yes | head -c 300000000); echo $x' > /dev/null; echo went on",
      { memoryBytes: 64 * MEBIBYTE },
    ],
  ] as const)('ends at its limit: %s', async (cause, script, limits) => {
    const { end } = await shell(script, { limits: { ...LIMITS, ...limits } });
    expect(await end).toMatchObject({ cause, exitStatus: null });
  });

  it('is charged only for its own processor time, and not for that of the programs before it', async () => {
    // One of its own limits, so that a place of an earlier program is used again.
    const limits = { ...LIMITS, memoryBytes: 96 * MEBIBYTE };
    const used: number[] = [];
    for (let run = 0; run < 8; run++) {
      const { program, end } = await shell('i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 0.1', { limits });
      expect(await end).toMatchObject({ cause: 'exit', exitStatus: 0 });
      used.push((await program.exited).cpuMs);
    }
    // Without a cgroup it is sampled, and the last tenth of a second may be missing.
    expect(used.at(-1)).toBeLessThan(2 * used[0]! + 300);
  });

  it('cannot exceed its task limit nor outlive its end', async () => {
    const { program, end } = await shell('f() { f | f & }; f; sleep 60', {
      limits: { ...LIMITS, tasks: 32, wallMs: 2_000 },
    });
    let most = 0;
    while (program.isAlive) {
      most = Math.max(most, sampleTree(program.initPid).tasks);
      await sleep(20);
    }
    // A cgroup refuses processes; where there is none, many are begun before the next look.
    expect(most).toBeLessThanOrEqual(cgroups === 'auto' && isolation.mode !== 'rlimits' ? 35 : 400);
    // It ends by itself where it cannot start its last program.
    expect(['wall_time', 'tasks', 'exit']).toContain((await end).cause);
    expect(sampleTree(program.initPid).pids.filter((pid) => !isStopped(pid))).toEqual([]);
  });

  it('stops while frozen, and continues afterwards', async () => {
    const { program, lines } = await shell('while :; do echo on; sleep 0.02; done');
    for (let wait = 0; lines.length < 3 && wait < 500; wait++) await sleep(10);
    await program.freeze();
    await sleep(50);
    const heard = lines.length;
    await sleep(300);
    expect(lines.length).toBe(heard);

    program.thaw();
    for (let wait = 0; lines.length < heard + 3 && wait < 500; wait++) await sleep(10);
    expect(lines.length).toBeGreaterThanOrEqual(heard + 3);
    await program.freeze();
    await program.destroy();
    expect(await program.exited).toMatchObject({ cause: 'destroyed', exitStatus: null });
  });

  it('is cut at its output limit without being blocked', async () => {
    const { lines, end } = await shell('yes abcdefghi | head -n 100000; echo done >&2', {
      output: { line: (stream, line) => heard.push(`${stream}: ${line}`), bytes: 1_000 },
    });
    const heard: string[] = lines;
    expect(await end).toMatchObject({ exitStatus: 0 });
    expect(heard.filter((line) => line === 'stdout: abcdefghi').length).toBe(100);
    expect(heard.filter((line) => line.includes('exceeds 1000 bytes'))).toHaveLength(1);
  });

  it('is read at its pace, ends regardless, and delivers its last lines', async () => {
    const pace = {
      linesPerSecond: 100,
      burstLines: 500,
      bytesPerSecond: 100_000,
      burstBytes: 200_000,
      costOfDropped: 1,
    };
    const floods: string[][] = [];
    const usedBefore = process.cpuUsage();
    const startedMs = performance.now();
    const running = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const heard: string[] = [];
        floods.push(heard);
        const flood = await shell('timeout 2 yes ""; echo last; exit 3', {
          output: { line: (stream, line) => heard.push(`${stream}: ${line}`), bytes: Number.MAX_SAFE_INTEGER, pace },
        });
        return flood;
      }),
    );
    const said: string[] = [];
    const honest = await shell('for i in $(seq 300); do echo "line $i"; done', {
      output: { line: (_, line) => said.push(line), bytes: 100_000, pace },
    });
    await honest.end;
    expect(said).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1}`));

    for (const { end } of running) expect(await end).toMatchObject({ cause: 'exit', exitStatus: 3 });
    const { user, system } = process.cpuUsage(usedBefore);
    for (const heard of floods) {
      expect(heard.at(-1)).toBe('stdout: last');
      expect(heard.filter((line) => line === 'stdout: ').length).toBeLessThan(6_000);
      expect(heard.some((line) => /\d{4,} lines are missing/.test(line))).toBe(true);
    }
    // Three of them took all of the loop, for as long as they ran.
    expect((user + system) / 1_000).toBeLessThan(0.8 * (performance.now() - startedMs));
  });

  it('streams output at the pace of the reader', async () => {
    const { program } = await shell('head -c 3000000 /dev/zero | tr "\\0" x', {
      output: { line: () => undefined, bytes: 1_000, rawStdout: true },
    });
    await sleep(700);
    expect((await text(program.stdout)).length).toBe(3_000_000);
    expect(await program.exited).toMatchObject({ exitStatus: 0 });
  });

  it('reaches no network but its own loopback', async () => {
    const server = (await import('node:net')).createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => {
      server.once('listening', resolve);
    });
    let connections = 0;
    server.on('connection', (socket) => {
      connections += 1;
      socket.destroy();
    });
    const { port } = server.address() as { port: number };
    const script = `import socket
own = socket.create_server(('127.0.0.1', 0)); socket.create_connection(own.getsockname()); print('own')
for address in [('127.0.0.1', ${port}), ('169.254.169.254', 80), ('1.1.1.1', 443)]:
  try: socket.create_connection(address, 2); print('reached', address)
  except OSError as error: print(type(error).__name__)
for kind in [(17, 3, 0), (40, 1, 0), (2, 3, 1), (16, 3, 12)]:
  try: socket.socket(*kind); print('made', kind)
  except OSError as error: print(error.errno)`;
    const { lines, end } = await shell(`exec python3 -c "${script}"`, {
      network: 'loopback',
      mounts: [
        { from: '/usr/bin', to: '/usr/bin' },
        { from: '/usr/lib', to: '/usr/lib' },
      ],
    });
    expect(await end).toMatchObject({ exitStatus: 0 });
    expect(lines.map((line) => line.slice('stdout: '.length))).toEqual([
      'own',
      'ConnectionRefusedError',
      'OSError',
      'OSError',
      '13',
      '13',
      '13',
      '13',
    ]);
    expect(connections).toBe(0);
    createConnection(port, '127.0.0.1').on('error', () => undefined);
    for (let wait = 0; connections === 0 && wait < 500; wait++) await sleep(10);
    expect(connections).toBe(1);
    server.close();
  });

  it('reports why it did not start, which no program can fake', async () => {
    const missing = await shell('true', { writable: [{ from: join(directory, 'missing'), to: '/work' }] });
    expect(await missing.end).toMatchObject({
      cause: 'did_not_start',
      exitStatus: null,
      said: expect.stringMatching(/^bwrap: .*missing/) as string,
    });
    const claims = await shell('echo "bwrap: lie" >&2; exit 1');
    expect(await claims.end).toMatchObject({ cause: 'exit', exitStatus: 1, said: '' });
  });
});

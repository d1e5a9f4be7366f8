import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { BuildDirectories } from '../../src/modules/builds/workspace/build-directories.js';
import { FixedDisk } from '../../src/modules/builds/workspace/disk/fixed-disk.js';
import { LIMITS, Workbench } from './workbench.js';

jest.setTimeout(120_000);

const MEBIBYTE = 1024 * 1024;
const LIMIT_MIB = 64;
/** What is written in the time that it takes to look, to count and to end a build on a busy machine, at 50 MiB/s. */
const LATE_MIB = 400;
/** The whole of an attack: without a bound it takes all of this. */
const ATTACK_MIB = 1_200;
const isRoot = process.getuid?.() === 0;

/** Writes 4 MiB at a time, at most 50 MiB a second, and says how much it has written. */
const attack = (write: string): Record<string, string> => ({
  'package.json': JSON.stringify({ scripts: { build: 'node build.js' } }),
  'build.js': `const fs = require('fs'); const chunk = Buffer.alloc(4 << 20, 1); const held = [];
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 80);
    for (let n = 0, failed = 0; n < ${ATTACK_MIB / 4} && failed < 5; n++) {
      try { ${write} console.log('written ' + (n + 1) * 4); } catch (error) { failed += 1; console.log(error.code); }
      pause();
    }
    fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', 'got away');`,
});

/** What a walk through the tree does not find. */
const ATTACKS: readonly (readonly [string, string])[] = [
  [
    'directories that nobody may look into',
    "fs.mkdirSync('d' + n); fs.writeFileSync('d' + n + '/fill', chunk); fs.chmodSync('d' + n, 0);",
  ],
  [
    'files that are unlinked and held open',
    "const file = fs.openSync('gone', 'w'); held.push(file); fs.unlinkSync('gone'); fs.writeSync(file, chunk);",
  ],
  [
    'one unlinked file that grows',
    "if (n === 0) { held.push(fs.openSync('/tmp/gone', 'w')); fs.unlinkSync('/tmp/gone'); " +
      '} fs.writeSync(held[0], chunk);',
  ],
  [
    'a path that is too long to walk',
    `
    if (n === 0) for (let depth = 0; depth < 30; depth++) { fs.mkdirSync('x'.repeat(200));
      process.chdir('x'.repeat(200)); }
    fs.writeFileSync('fill' + n, chunk);`,
  ],
];

const modes = isRoot ? (['auto', 'counted'] as const) : (['auto'] as const);

describe.each(modes)('the disk of a build, %s', (disks) => {
  let bench: Workbench;
  const mounts = (): string[] =>
    readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(bench.directory));

  beforeAll(() => {
    bench = new Workbench({ disks });
  });
  afterEach(async () => {
    for (let wait = 0; wait < 500 && bench.left().length > 0; wait++) await sleep(10);
    expect([bench.left(), mounts()]).toEqual([[], []]);
  });
  afterAll(() => bench.close());

  it.each(ATTACKS)('is limited for %s', async (_what, write) => {
    const outcome = await bench.build(attack(write), { limits: { ...LIMITS, diskBytes: LIMIT_MIB * MEBIBYTE } }).then(
      () => null,
      (error: unknown) => error,
    );
    // One file is bounded by the limit for a single file too, which may end its growth before anything was counted.
    const isFileTooLarge = bench.log.some((line) => line.endsWith('EFBIG'));
    if (!isFileTooLarge || outcome !== null) expect(outcome).toMatchObject({ code: 'disk_full' });
    const written = Math.max(0, ...bench.log.map((line) => Number(/written (\d+)/.exec(line)?.[1] ?? 0)));
    const { mode } = await bench.builds.diskMode();
    expect(written).toBeLessThanOrEqual(mode === 'fixed' ? LIMIT_MIB * 1.02 + 32 : LIMIT_MIB + LATE_MIB);
  });

  it('is limited while others delete as much as it writes', async () => {
    const others = mkdtempSync(join(tmpdir(), 'others-'));
    const files = Array.from({ length: 40 }, (_, index) => join(others, String(index)));
    for (const file of files) execFileSync('fallocate', ['--length', '64MiB', file]);
    const freeing = setInterval(() => {
      const file = files.pop();
      if (file !== undefined) rmSync(file);
    }, 600);
    try {
      const outcome = await bench
        .build(attack("fs.writeFileSync('fill' + n, chunk);"), {
          limits: { ...LIMITS, diskBytes: LIMIT_MIB * MEBIBYTE },
        })
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect([outcome, bench.log]).toEqual([expect.objectContaining({ code: 'disk_full' }), expect.anything()]);
    } finally {
      clearInterval(freeing);
      rmSync(others, { recursive: true });
    }
  });

  it('keeps a build that locks a directory and holds a deleted file within its limit', async () => {
    const { files } = await bench.build(
      {
        'package.json': JSON.stringify({ scripts: { build: 'node build.js' } }),
        'build.js': `const fs = require('fs'); fs.mkdirSync('locked');
          fs.writeFileSync('locked/a', Buffer.alloc(8 << 20, 1)); fs.chmodSync('locked', 0);
        const file = fs.openSync('gone', 'w'); fs.unlinkSync('gone'); fs.writeSync(file, Buffer.alloc(8 << 20, 1));
        fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', 'fine');`,
      },
      { limits: { ...LIMITS, diskBytes: LIMIT_MIB * MEBIBYTE } },
    );
    expect(files).toEqual({ 'index.html': 'fine' });
  });

  it('allows many small files up to its size', async () => {
    const { files } = await bench.build(
      {
        'package.json': JSON.stringify({ scripts: { build: 'node build.js' } }),
        'build.js': `const fs = require('fs'); fs.mkdirSync('many'); for (let n = 0; n < 6000;
          n++) fs.writeFileSync('many/' + n, 'x');
        fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', 'fine');`,
      },
      { limits: { ...LIMITS, diskBytes: LIMIT_MIB * MEBIBYTE } },
    );
    expect(files).toEqual({ 'index.html': 'fine' });
  });

  it('reports disk full when a build made too many files', async () => {
    const outcome = await bench
      .build(attack("for (let m = 0; m < 5000; m++) fs.writeFileSync('f' + n + '-' + m, '1234');"), {
        limits: { ...LIMITS, diskBytes: 16 * MEBIBYTE },
      })
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(outcome).toMatchObject({ code: 'disk_full' });
  });
});

(isRoot ? describe : describe.skip)('a worker that was killed', () => {
  it('removes mounts and loop devices that an earlier process left', async () => {
    const bench = new Workbench();
    if ((await bench.builds.diskMode()).mode === 'counted') return bench.close();
    // A process that stands for the worker: its directory is named for it, and it is gone when the next one looks.
    const worker = spawn('sleep', ['600']);
    const directories = new BuildDirectories(join(bench.directory, 'builds'));
    const own = await directories.makeJob('dpl_killed');
    const ticks = readFileSync(`/proc/${worker.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]!;
    const job = own.replace(/[^/]+$/, `${worker.pid}-${ticks}-dpl_killed`);
    mkdirSync(job);
    const disk = await FixedDisk.open({
      job,
      limitBytes: 4 * MEBIBYTE,
      count: () => Promise.resolve(null),
      exceeded: () => undefined,
    });
    const isMounted = (): boolean => readFileSync('/proc/self/mounts', 'utf8').includes(disk.directory);
    await bench.builds.sweep();
    expect([isMounted(), existsSync(job)]).toEqual([true, true]);
    worker.kill('SIGKILL');
    await new Promise((resolve) => {
      worker.once('exit', resolve);
    });
    await bench.builds.sweep();
    expect([isMounted(), existsSync(job)]).toEqual([false, false]);
    await disk.close();
    await bench.close();
    return undefined;
  });
});

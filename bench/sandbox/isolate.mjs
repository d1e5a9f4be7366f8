/**
 * The sandbox of programming contests, https://github.com/ioi/isolate, where it is installed: one box is made for each
 * run and removed after it, as a judge does. It counts nothing together without cgroups, and its boxes see `/usr`.
 */
import { execFile, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const call = promisify(execFile);
const free = [];
let boxes = 0;

export const hasIsolate = () => spawnSync('isolate', ['--version']).status === 0;

/** Returns what the program writes. `program` is mounted at the directory of `inside`. */
export async function runInIsolate([program, inside, ...rest]) {
  const box = `--box-id=${free.pop() ?? boxes++}`;
  try {
    await call('isolate', [box, '--init']);
    const mounted = inside === program ? [] : [`--dir=${dirname(inside)}=${dirname(program)}`];
    const { stdout } = await call('isolate', [
      box,
      '--silent',
      '--processes',
      ...mounted,
      '--run',
      '--',
      inside,
      ...rest,
    ]);
    return stdout;
  } finally {
    await call('isolate', [box, '--cleanup']);
    free.push(Number(box.split('=')[1]));
  }
}

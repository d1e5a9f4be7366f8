import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { FixedDisk } from './disk/fixed-disk.js';
import { startTicks } from '../../../platform/isolation/process-facts.js';

const CACHES = /^caches-[0-9a-f]{32}$/;
/** Whoever has the path may go through, as the users of sandboxes must; nobody may look around. */
const PASSABLE = 0o711;

/**
 * The directories of the host in which builds take place: `jobs`, gone with their build, and `caches`. The host makes
 * and removes them, and what is in them only programs in isolation see.
 */
export class BuildDirectories {
  private caches: Promise<string> | null = null;

  constructor(private readonly directory: string) {}

  /**
   * A new directory for one attempt; its name tells which process made it, so that another can tell whether that one
   * lives.
   */
  async makeJob(id: string): Promise<string> {
    const job = join(this.directory, 'jobs', `${process.pid}-${startTicks(process.pid) ?? '0'}-${id}`);
    await makePassable(join(this.directory, 'jobs'));
    await mkdir(job, { mode: PASSABLE });
    await chmod(job, PASSABLE);
    return job;
  }

  /** Removes what builds of processes that no longer live have left. */
  async sweep(): Promise<void> {
    const jobs = join(this.directory, 'jobs');
    const left = (await namesIn(jobs)).filter((name) => {
      const [pid, ticks] = name.split('-');
      return startTicks(Number(pid)) !== ticks;
    });
    await Promise.all(
      left.map(async (name) => {
        await FixedDisk.release(join(jobs, name));
        await removeTree(join(jobs, name));
      }),
    );
  }

  /** Its name cannot be guessed: what is in it has to be readable by the users of all sandboxes, but by nobody else. */
  cachesDirectory(): Promise<string> {
    this.caches ??= this.findCaches();
    this.caches.catch(() => {
      this.caches = null;
    });
    return this.caches;
  }

  private async findCaches(): Promise<string> {
    await makePassable(this.directory);
    const found = (await namesIn(this.directory)).find((name) => CACHES.test(name));
    const path = join(this.directory, found ?? `caches-${randomBytes(16).toString('hex')}`);
    await makePassable(path);
    return path;
  }
}

/** Makes a directory, and those above it, that others may go through but not read. */
export async function makePassable(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o755 });
  if (made !== undefined) await chmod(path, PASSABLE);
}

/**
 * Removes a directory of the host with all that programs have put into it. To be called when none of them lives any
 * more. `rm` goes down by descriptors and follows nothing, however deep, and however named, it is.
 */
export async function removeTree(path: string): Promise<void> {
  const script = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1" 2>/dev/null; exec rm -rf -- "$1"; }';
  const child = spawn('/bin/sh', ['-c', script, 'sh', path], {
    stdio: 'ignore',
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${path} could not be removed.`);
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

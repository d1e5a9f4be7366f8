import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { FixedDisk } from './disk/fixed-disk.js';
import { startTicks } from '../../../platform/isolation/process-facts.js';

const CACHES = /^caches-[0-9a-f]{32}$/;
/** The users of sandboxes have to pass through these directories, but must not list them. */
const PASSABLE = 0o711;

/**
 * The directories of builds on the host: `jobs`, which are removed with their build, and `caches`. The host creates and
 * removes them, but only programs in isolation read what is in them.
 */
export class BuildDirectories {
  private caches: Promise<string> | null = null;

  constructor(private readonly directory: string) {}

  /**
   * Creates a directory for one attempt. Its name identifies the process that created it, so that another process can
   * check whether that one is alive.
   */
  async makeJob(id: string): Promise<string> {
    const job = join(this.directory, 'jobs', `${process.pid}-${startTicks(process.pid) ?? '0'}-${id}`);
    await makePassable(join(this.directory, 'jobs'));
    await mkdir(job, { mode: PASSABLE });
    await chmod(job, PASSABLE);
    return job;
  }

  /** Removes the directories that ended processes have left. */
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

  /** The name cannot be guessed, because the users of all sandboxes could read the caches of others by it. */
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

/** Creates a directory, and those above it, that others can pass through but not list. */
export async function makePassable(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o755 });
  if (made !== undefined) await chmod(path, PASSABLE);
}

/**
 * Removes a directory of the host with everything that programs have put into it. Call it when all of them have ended.
 * `rm` descends by descriptors and follows no links, whatever the depth and the names.
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** After this long a server whose service is gone, and which nobody is stopping, is stopped by us. */
const ORPHAN_AFTER_MS = 3_000;
const KILL_AFTER_MS = 20_000;
const GIVE_UP_AFTER_MS = 30_000;

export interface LockOptions {
  /** As the message shall call it: `PostgreSQL`. */
  readonly title: string;
  readonly home: string;
  /** The server's working directory, by which a process is known to be ours. */
  readonly data: string;
  readonly pidFile: string;
}

export interface ServerLock {
  /** To be inherited by every process that touches the data. */
  readonly descriptor: number;
  /** May be called again. */
  release(): void;
}

/**
 * Claims a server's home. Two locks of the kernel decide, so nothing can be stale and no process id is trusted:
 * `service.lock` is held by this process alone, and `server.lock` by all that touches the data as well, because they
 * inherit it. Whoever holds both knows that no process of an earlier service is left.
 *
 * A server that outlived its service is waited for, and stopped when nobody else is doing it.
 *
 * @throws {Error} when another service runs on the same data.
 */
export async function lockServerHome(input: LockOptions): Promise<ServerLock> {
  const service = await tryLock(join(input.home, 'service.lock'));
  if (service === undefined) {
    throw new Error(
      `Another service is running on this data (${input.title} in ${input.home}). ` +
        'Stop it first, or give this one a DATA_DIR of its own.',
    );
  }
  try {
    const server = await waitForServerLock(input);
    requireUnused(input);
    let held = true;
    return {
      descriptor: server,
      release: () => {
        // A second time the numbers would be those of other files.
        if (held) for (const descriptor of [server, service]) closeSync(descriptor);
        held = false;
      },
    };
  } catch (error) {
    closeSync(service);
    throw error;
  }
}

async function waitForServerLock(input: LockOptions): Promise<number> {
  const start = performance.now();
  for (;;) {
    const lock = await tryLock(join(input.home, 'server.lock'));
    if (lock !== undefined) return lock;

    const waitedMs = performance.now() - start;
    const orphan = serverIn(input);
    if (waitedMs > GIVE_UP_AFTER_MS) {
      throw new Error(`A ${input.title} of an earlier start still uses ${input.data} and does not stop.`);
    }
    // SIGINT is PostgreSQL's fast shutdown and an orderly one for Redis.
    if (orphan !== undefined && waitedMs > ORPHAN_AFTER_MS)
      process.kill(orphan, waitedMs > KILL_AFTER_MS ? 'SIGKILL' : 'SIGINT');
    await sleep(100);
  }
}

/** A server that somebody started by hand on our data does not know our locks. */
function requireUnused(input: LockOptions): void {
  const stranger = serverIn(input);
  if (stranger === undefined) return;
  throw new Error(`${input.data} is in use by process ${stranger}, which this service did not start. Stop it first.`);
}

/**
 * The living process that the pid file names, if it works in the data directory. Numbers are reused, so a process
 * that merely has the right one is a stranger.
 */
function serverIn({ data, pidFile }: LockOptions): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    const workingDirectory = statSync(`/proc/${pid}/cwd`);
    const directory = statSync(data);
    return workingDirectory.ino === directory.ino && workingDirectory.dev === directory.dev ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * flock(1) locks the file description that it inherits from us. The lock is then ours, and that of all who inherit it
 * later, until the last of them is gone; Node itself has no call for it.
 */
async function tryLock(path: string): Promise<number | undefined> {
  const descriptor = openSync(path, 'a', 0o600);
  const flock = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  try {
    const [code] = (await once(flock, 'exit')) as [number | null];
    if (code === 0) return descriptor;
    if (code !== 1) throw new Error(`flock could not lock ${path} (exit code ${code ?? 'none'}).`);
  } catch (error) {
    closeSync(descriptor);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('The program "flock" is missing. Install the package util-linux.', { cause: error });
  }
  closeSync(descriptor);
  return undefined;
}

import { closeSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLockFile } from '../../platform/accounts/file-lock.js';

/** After this time we stop a server that outlived its service and is not being stopped. */
const ORPHAN_AFTER_MS = 3_000;
const KILL_AFTER_MS = 20_000;
const GIVE_UP_AFTER_MS = 30_000;

export interface LockOptions {
  /** Name of the server in messages, such as `PostgreSQL`. */
  readonly title: string;
  readonly home: string;
  /** The working directory of the server, which identifies its process. */
  readonly data: string;
  readonly pidFile: string;
}

export interface ServerLock {
  /** Descriptor of the lock, which every process that uses the data inherits. */
  readonly descriptor: number;
  /** Releases the locks. It may be called again. */
  release(): void;
}

/**
 * Claims the home of a server with two kernel locks, so that no lock can be stale and no process id is trusted. Only
 * this process holds `service.lock`. All processes that use the data hold `server.lock`, because they inherit it. The
 * holder of both knows that no process of an earlier service is left.
 *
 * It waits for a server that outlived its service, and stops it if nothing else does.
 *
 * @throws {Error} when another service runs on the same data.
 */
export async function lockServerHome(input: LockOptions): Promise<ServerLock> {
  const service = await tryLockFile(join(input.home, 'service.lock'));
  if (service === undefined) {
    throw new Error(
      `Another service is running on this data (${input.title} in ${input.home}). ` +
        'Stop it first, or set DATA_DIR to another directory.',
    );
  }
  try {
    const server = await waitForServerLock(input);
    requireUnused(input);
    let held = true;
    return {
      descriptor: server,
      release: () => {
        // A second release would close the descriptors of other files.
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
    const lock = await tryLockFile(join(input.home, 'server.lock'));
    if (lock !== undefined) return lock;

    const waitedMs = performance.now() - start;
    const orphan = serverIn(input);
    if (waitedMs > GIVE_UP_AFTER_MS) {
      throw new Error(
        `${input.title} of an earlier start still uses ${input.data} and does not stop. Stop it by hand.`,
      );
    }
    // SIGINT is PostgreSQL's fast shutdown and an orderly one for Redis.
    if (orphan !== undefined && waitedMs > ORPHAN_AFTER_MS)
      process.kill(orphan, waitedMs > KILL_AFTER_MS ? 'SIGKILL' : 'SIGINT');
    await sleep(100);
  }
}

/** A server that was started by hand on our data does not use our locks. */
function requireUnused(input: LockOptions): void {
  const foreignPid = serverIn(input);
  if (foreignPid === undefined) return;
  throw new Error(`${input.data} is in use by process ${foreignPid}, which this service did not start. Stop it first.`);
}

/**
 * Returns the running process of the pid file, if its working directory is the data directory. Process ids are reused,
 * so any other process with this id is not the server.
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

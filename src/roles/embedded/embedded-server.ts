import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerAccount } from '../../platform/accounts/server-account.js';
import { type ServerLock } from './server-lock.js';
import { endOfServerLog, openServerLog } from './server-log.js';
import { closeSocketDirectory } from './socket-directory.js';
import { startWatchedChild, type ChildOptions, type WatchedChild } from './watched-child.js';

export interface EmbeddedServerOptions {
  /** DATA_DIR; the server keeps to a directory of its own in it. Created when missing. */
  readonly dataDir: string;
  /** False trades safety for speed, for tests: what was written may be lost. Default true. */
  readonly durable?: boolean;
  /** Takes what an operator should know, a line at a time. Default: standard output. */
  readonly log?: (line: string) => void;
}

/** A server of our own. It ends when this process ends, however that ends. */
export interface EmbeddedServer {
  readonly url: string;
  /** Of the server itself. */
  readonly pid: number;
  /**
   * Resolves when the server is gone, for whatever reason; it can then be started again, at the same URL. Never
   * rejects.
   */
  readonly exited: Promise<ServerExit>;
  /**
   * Stops it in order (open transactions are rolled back, what was committed is kept) and resolves when it is gone.
   * After 20 s it is killed, which loses nothing committed either. May be called again.
   */
  stop(): Promise<void>;
}

interface ServerExit {
  /** Whether `stop` was called. If not, the service has lost its server. */
  readonly requested: boolean;
  /** For the log: how it ended and, unless requested, the last lines of the server's own log. */
  readonly message: string;
}

export interface ServerPlan {
  readonly title: string;
  readonly home: string;
  readonly lock: ServerLock;
  readonly account: ServerAccount | undefined;
  readonly program: string;
  readonly args: readonly string[];
  readonly stopSignal: ChildOptions['stopSignal'];
  readonly url: string;
  readonly log: (line: string) => void;
  /** Whether it answers. Asked often. */
  isReady(): Promise<boolean> | boolean;
}

const STOP_WITHIN_SECONDS = 20;
const SAY_SO_AFTER_MS = 5_000;

/**
 * Starts the server and waits until it answers: as long as it lives, since replaying what was written before a crash
 * takes the time it takes. The lock is released when the server is gone.
 *
 * @throws {Error} with the last lines of its log, when it ends instead.
 */
export async function runServer(plan: ServerPlan): Promise<EmbeddedServer> {
  const logFile = join(plan.home, 'server.log');
  const child = await startChild(plan, logFile);
  let requested = false;

  async function untilGone(): Promise<ServerExit> {
    const status = await child.exited;
    // When the watching shell was killed, the server itself may still run.
    await child.stop();
    plan.lock.release();
    const how = `${plan.title} ended (exit status ${status ?? 'unknown'}).`;
    return { requested, message: requested ? how : `${how} The end of ${logFile}:\n${endOfServerLog(logFile)}` };
  }

  const exited = untilGone();
  const failure = await readyOrGone(plan, exited);
  if (failure !== undefined) throw new Error(`${plan.title} did not start. ${failure.message}`);

  async function stop(): Promise<void> {
    requested = true;
    await child.stop();
    // One that ended unasked may have a successor by now, to which the directory belongs.
    if ((await exited).requested) closeSocketDirectory(plan.home);
  }

  let stopping: Promise<void> | undefined;
  return { url: plan.url, pid: child.pid, exited, stop: () => (stopping ??= stop()) };
}

async function startChild(plan: ServerPlan, logFile: string): Promise<WatchedChild> {
  const logDescriptor = openServerLog(logFile);
  try {
    return await startWatchedChild({
      program: plan.program,
      args: plan.args,
      account: plan.account,
      stopSignal: plan.stopSignal,
      stopWithinSeconds: STOP_WITHIN_SECONDS,
      logDescriptor,
      lockDescriptor: plan.lock.descriptor,
    });
  } finally {
    closeSync(logDescriptor);
  }
}

/** Undefined once the server answers, or how it ended. */
async function readyOrGone(plan: ServerPlan, exited: Promise<ServerExit>): Promise<ServerExit | undefined> {
  const start = performance.now();
  let said = false;
  while (!(await plan.isReady())) {
    const waitedMs = performance.now() - start;
    if (!said && waitedMs > SAY_SO_AFTER_MS) {
      said = true;
      plan.log(`${plan.title} is still reading its data …`);
    }
    const gone = await Promise.race([exited, sleep(waitedMs < 1_000 ? 10 : 100)]);
    if (gone !== undefined) return gone;
  }
  return undefined;
}

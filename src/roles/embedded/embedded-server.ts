import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerAccount } from '../../platform/accounts/server-account.js';
import { type ServerLock } from './server-lock.js';
import { endOfServerLog, openServerLog } from './server-log.js';
import { closeSocketDirectory } from './socket-directory.js';
import { startWatchedChild, type ChildOptions, type WatchedChild } from './watched-child.js';

export interface EmbeddedServerOptions {
  /** The DATA_DIR, in which the server has a directory. It is created if missing. */
  readonly dataDir: string;
  /** False makes tests faster, but writes may be lost. Default true. */
  readonly durable?: boolean;
  /** Receives lines for the operator. Default: standard output. */
  readonly log?: (line: string) => void;
}

/** An embedded server. It ends with this process, even if that is killed. */
export interface EmbeddedServer {
  readonly url: string;
  /** Process id of the server itself. */
  readonly pid: number;
  /**
   * Resolves when the server has exited for any reason. It can then be started again at the same URL. It never rejects.
   */
  readonly exited: Promise<ServerExit>;
  /**
   * Stops the server gracefully and resolves when it has exited. Open transactions are rolled back. After 20 s it is
   * killed, which loses no commit either. It may be called again.
   */
  stop(): Promise<void>;
}

interface ServerExit {
  /** True if `stop` was called; otherwise the server died. */
  readonly requested: boolean;
  /** Text for the log: how it ended and, unless requested, the last lines of the log of the server. */
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
  /** Returns true once the server answers. It is polled. */
  isReady(): Promise<boolean> | boolean;
}

const STOP_WITHIN_SECONDS = 20;
const SAY_SO_AFTER_MS = 5_000;

/**
 * Starts the server and waits until it answers, without a time limit, because recovery after a crash may take long. The
 * lock is released when the server has exited.
 *
 * @throws {Error} with the last lines of its log when the server exits instead.
 */
export async function runServer(plan: ServerPlan): Promise<EmbeddedServer> {
  const logFile = join(plan.home, 'server.log');
  const child = await startChild(plan, logFile);
  let requested = false;

  async function untilGone(): Promise<ServerExit> {
    const status = await child.exited;
    // If the watching shell was killed, the server may still run.
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
    // A server that died may have a successor by now, which owns the directory.
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

/** Resolves to undefined once the server answers, or to how it ended. */
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

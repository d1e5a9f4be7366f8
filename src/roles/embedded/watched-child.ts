import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Socket } from 'node:net';
import { type ServerAccount } from '../../platform/accounts/server-account.js';

export interface ChildOptions {
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly account: ServerAccount | undefined;
  /** The signal for a fast shutdown: SIGINT for PostgreSQL, and SIGTERM for Redis. */
  readonly stopSignal: 'INT' | 'TERM';
  /** Time to stop before SIGKILL. */
  readonly stopWithinSeconds: number;
  /** File for standard output and error. A pipe would block the server when it is full. */
  readonly logDescriptor: number;
  /** Descriptors that the server and its watcher inherit. */
  readonly lockDescriptor: number;
}

export interface WatchedChild {
  /** Process id of the program itself, not of the shell that watches it. */
  readonly pid: number;
  /** The exit status of the shell (128 + n for signal n), or null when the shell itself was killed. */
  readonly exited: Promise<number | null>;
  /** Signals it to stop, kills it if it does not, and resolves when it has exited. */
  stop(): Promise<void>;
}

/**
 * The shell and this process hold the two ends of a pipe. However this process ends, even by SIGKILL, the kernel closes
 * its end and the watcher wakes. The shell is the parent of the program and has not waited for it yet, so its process
 * id cannot have been reused. The signal is repeated, because a background job ignores SIGINT until it installs its own
 * handler.
 */
const WATCH = `
signal=$1; rounds=$2; shift 2
exec 4<&0 </dev/null
"$@" 4<&- >&2 &
program=$!
{
  read -r line <&4
  while [ "$rounds" -gt 0 ] && kill -s "$signal" "$program"; do sleep 0.5 >/dev/null 3>&-; rounds=$((rounds - 1)); done
  kill -s KILL "$program"
} 2>/dev/null &
watcher=$!
echo "$program"
exec 4<&-
trap '' TERM INT HUP
wait "$program"
status=$?
kill "$watcher"
exit "$status"
`;

/** The servers get none of our environment: it holds secrets, and PG* variables would configure them. */
export const SERVER_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * Starts a program that never outlives this process and does not keep it alive either.
 *
 * @throws {Error} when the program cannot be started. `exited` reports a failure soon after.
 */
export async function startWatchedChild(input: ChildOptions): Promise<WatchedChild> {
  const shell = spawn(
    '/bin/sh',
    ['-c', WATCH, 'sh', input.stopSignal, String(input.stopWithinSeconds * 2), input.program, ...input.args],
    {
      ...input.account,
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      // In its own session, so that Ctrl-C reaches only this process, which stops everything in order.
      detached: true,
      stdio: ['pipe', 'pipe', input.logDescriptor, input.lockDescriptor],
    },
  );
  // The event comes when everything that holds the pipes has exited: the shell, the watcher and so the program.
  const closed = new Promise<void>((done) =>
    shell.once('close', () => {
      done();
    }),
  );
  const exited = new Promise<number | null>((done) =>
    shell.once('exit', (code) => {
      done(code);
    }),
  );
  await once(shell, 'spawn');

  const [announced] = (await Promise.race([once(shell.stdout!, 'data'), closed.then(() => [''])])) as [Buffer | string];
  const pid = Number(announced.toString());
  if (!(pid > 0)) throw new Error(`${input.program} could not be started.`);

  const handles = [shell, shell.stdin as Socket, shell.stdout as Socket];
  for (const handle of handles) handle.unref();

  return {
    pid,
    exited,
    stop: async () => {
      for (const handle of handles) handle.ref();
      shell.stdin!.end();
      await closed;
    },
  };
}

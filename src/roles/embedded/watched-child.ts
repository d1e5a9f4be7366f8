import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Socket } from 'node:net';
import { type ServerAccount } from '../../platform/accounts/server-account.js';

export interface ChildOptions {
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly account: ServerAccount | undefined;
  /** What asks the server to stop: the fast shutdown of PostgreSQL is SIGINT, that of Redis SIGTERM. */
  readonly stopSignal: 'INT' | 'TERM';
  /** How long it may take to stop before SIGKILL. */
  readonly stopWithinSeconds: number;
  /** Takes its standard output and error. A file, not a pipe: a full pipe would block the server. */
  readonly logDescriptor: number;
  /** Inherited by the server and by its watcher. */
  readonly lockDescriptor: number;
}

export interface WatchedChild {
  /** Of the program itself, not of the shell that watches it. */
  readonly pid: number;
  /** The exit status as a shell gives it (128 + n for signal n), or null when the watching shell was killed. */
  readonly exited: Promise<number | null>;
  /** Asks it to stop, kills it when it does not, and resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * The shell holds one end of a pipe of which this process holds the other. However this process ends, even by SIGKILL,
 * the kernel closes its end and the watcher wakes. The shell is the program's parent and has not waited for it yet, so
 * the number it signals cannot have gone to a stranger. The signal is repeated because a background job starts with
 * SIGINT ignored, until it installs a handler of its own.
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

/** Nothing of our own environment reaches the servers: it holds secrets, and PG* variables would steer them. */
export const SERVER_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * Starts a program that never outlives this process and does not keep it alive either.
 *
 * @throws {Error} when the program cannot be started. That it fails soon afterwards is told by `exited`.
 */
export async function startWatchedChild(input: ChildOptions): Promise<WatchedChild> {
  const shell = spawn(
    '/bin/sh',
    ['-c', WATCH, 'sh', input.stopSignal, String(input.stopWithinSeconds * 2), input.program, ...input.args],
    {
      ...input.account,
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      // A session of its own, so that Ctrl-C reaches us alone and we can close things in order.
      detached: true,
      stdio: ['pipe', 'pipe', input.logDescriptor, input.lockDescriptor],
    },
  );
  // Once everything that holds its pipes is gone: the shell, the watcher and so the program.
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

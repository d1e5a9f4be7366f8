import assert from 'node:assert/strict';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { nicenessOf, ORDINARY_CPU, setSessionNiceness } from '../../../platform/isolation/cpu-share.js';
import { gitEnvironment } from './git-settings.js';

/** Well above what git needs with its settings. The settings limit git, and this limits what they miss. */
const DATA_KIB = 768 * 1_024;
const CPU_SECONDS = 600;
const OPEN_FILES = 512;
/** A dozen concurrent pushes get no more of the processors than one busy thread of the service. */
export const GIT_NICENESS = nicenessOf(ORDINARY_CPU);

/** On this descriptor the shell receives its work, in one line. */
const WORK_DESCRIPTOR = 3;

/** A limit that is already lower cannot be raised, which is not an error. */
const limit = (name: string, value: number): string => `ulimit -${name} ${value} 2>/dev/null`;

const READ_WORK = [
  "nl='\n'",
  // The end of the service ends the shell.
  `IFS= read -r work <&${WORK_DESCRIPTOR} || exit 0`,
  `exec ${WORK_DESCRIPTOR}<&-`,
  'eval "$work"',
].join('\n');

const scriptOf = (niceness: number): string =>
  [
    limit('c', 0),
    limit('d', DATA_KIB),
    limit('t', CPU_SECONDS),
    limit('n', OPEN_FILES),
    'umask 022',
    // From its first moment on: a child that was started before would keep its priority.
    `exec /usr/bin/nice -n ${niceness} /bin/sh -c "$1"`,
  ].join('\n');

/** What a shell does. */
export interface ShellWork {
  readonly args: readonly string[];
  /** The maximum size of a file that it writes. */
  readonly fileBytes: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** A running program with its pipes. Its event `close` has the status and the signal. */
export interface GitProcess extends EventEmitter {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** A child of our own, or a shell that another process has started. */
type ShellProcess = ChildProcess | (GitProcess & { readonly stdio: readonly Duplex[]; ref(): void; unref(): void });

interface ShellCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: {
    readonly uid?: number;
    readonly gid?: number;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly detached: boolean;
    readonly stdio: StdioOptions;
  };
}

/**
 * How a shell is started that has the user, the limits and the environment of git. It leads a process group.
 *
 * @param niceness what it is nicer than the process that starts it.
 */
export function shellCommand(
  account: { readonly uid: number; readonly gid: number } | undefined,
  niceness = GIT_NICENESS,
): ShellCommand {
  return {
    file: '/bin/sh',
    args: ['-c', scriptOf(niceness), 'sh', READ_WORK],
    options: {
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
      cwd: '/',
      env: gitEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    },
  };
}

/** A shell of {@link shellCommand}, which waits for its work. */
export class WaitingShell {
  constructor(private readonly child: ShellProcess) {
    if (this.child.pid !== undefined) setSessionNiceness(this.child.pid, GIT_NICENESS);
    // The events `exit` and `error` report the outcome; a broken pipe adds nothing.
    for (const pipe of [this.child.stdin!, this.work]) pipe.on('error', () => undefined);
    this.child.on('error', () => undefined);
  }

  /** False when it could not be started, or was ended by others. */
  get isReady(): boolean {
    const { pid, exitCode, signalCode } = this.child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Lets the process of the service end although the shell still waits. */
  unref(): void {
    this.child.unref();
    for (const pipe of this.pipes()) pipe.unref();
  }

  /** Gives the shell its work, which replaces it. It leads a process group. */
  begin({ args, fileBytes, environment }: ShellWork): GitProcess {
    assert(Number.isSafeInteger(fileBytes) && fileBytes > 0);
    this.child.ref();
    for (const pipe of this.pipes()) pipe.ref();
    // File sizes are in blocks of 512 bytes (POSIX).
    const line = [
      limit('f', Math.ceil(fileBytes / 512)),
      ...Object.entries(environment).map(([name, value]) => `export ${nameOf(name)}=${quoted(value)}`),
      `exec ${args.map(quoted).join(' ')}`,
    ].join('; ');
    this.work.end(`${line}\n`);
    return this.child as GitProcess;
  }

  /** Ends a shell that has no work. */
  end(): void {
    this.work.end();
  }

  private get work(): Duplex {
    return this.child.stdio[WORK_DESCRIPTOR] as Duplex;
  }

  private pipes(): { ref: () => void; unref: () => void }[] {
    return this.child.stdio as unknown as { ref: () => void; unref: () => void }[];
  }
}

function nameOf(name: string): string {
  assert(/^[A-Z][A-Z0-9_]*$/.test(name), `${name} cannot be the name of a variable`);
  return name;
}

/** One word of a shell. A line break is in a variable, because the work is one line. */
export function quoted(word: string): string {
  assert(!word.includes('\0'), 'a word of a shell contains a NUL');
  return `'${word.replaceAll("'", "'\\''").replaceAll('\n', `'"$nl"'`)}'`;
}

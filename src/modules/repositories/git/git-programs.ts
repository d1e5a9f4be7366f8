import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { nicenessOf, ORDINARY_CPU, setSessionNiceness } from '../../../platform/isolation/cpu-share.js';
import { gitEnvironment } from './git-settings.js';
import { RepositoriesHome } from './repositories-home.js';

/** Well above what git needs with its settings. The settings limit git, and this limits what they miss. */
const DATA_KIB = 768 * 1_024;
const CPU_SECONDS = 600;
const OPEN_FILES = 512;
/** A dozen concurrent pushes get no more of the processors than one busy thread of the service. */
const NICENESS = nicenessOf(ORDINARY_CPU);
/** Git removes unfinished files after its input has ended, but not after a signal (since 2.39). */
const TIDY_UP_MS = 2_000;
const SHOWN_OF_ERRORS = 2_000;

interface ProgramOptions {
  readonly args: readonly string[];
  /** The maximum size of a file that it writes. */
  readonly fileBytes: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
}

interface ScriptOptions extends Omit<ProgramOptions, 'args'> {
  /** A script for `/bin/sh`, which receives `args` as `$1`… */
  readonly script: string;
  readonly args: readonly string[];
  readonly input?: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly timeoutMs: number;
  readonly maxOutputBytes?: number;
}

/** Runs git as the user of the repositories, with limited memory and time, and without our environment. */
@Injectable()
export class GitPrograms {
  constructor(private readonly home: RepositoriesHome) {}

  /** Starts a program whose pipes the caller serves. It leads a process group, see {@link end}. */
  start({ args, fileBytes, environment = {}, settings = {} }: ProgramOptions): ChildProcessWithoutNullStreams {
    const { account } = this.home;
    const child = spawn('/bin/sh', ['-c', limited(fileBytes), 'sh', ...args], {
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
      cwd: '/',
      env: { ...gitEnvironment(settings), ...environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) setSessionNiceness(child.pid, NICENESS);
    // The events `exit` and `error` report the outcome; a broken pipe adds nothing.
    child.stdin.on('error', () => undefined);
    return child;
  }

  /**
   * @throws {Error} with its output when the script fails, is too slow or writes too much. @throws what `input` throws.
   */
  async run({
    script,
    args,
    input = [],
    timeoutMs,
    maxOutputBytes = 1_048_576,
    ...request
  }: ScriptOptions): Promise<Buffer> {
    const child = this.start({ ...request, args: ['/bin/sh', '-c', script, 'sh', ...args] });
    const timer = setTimeout(() => {
      end(child);
    }, timeoutMs);
    try {
      const output = gather(child, maxOutputBytes);
      const closed = once(child, 'close') as Promise<[number | null, string | null]>;
      const fed = feed(child, input).catch(async (error: unknown) => {
        // The input broke off. The program ends without its rest, and tidies up before the error is reported.
        end(child);
        await closed;
        throw error;
      });
      const [[status, signal]] = await Promise.all([closed, fed]);
      if (status === 0 && !output.overflown) return output.text();
      throw new Error(
        `git ended with ${String(status ?? signal)}${output.overflown ? ', too much output' : ''}: ${output.errors()}`,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Ends a program with all its children: first by closing its input, then by force. May be called again. */
export function end(child: ChildProcessWithoutNullStreams): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin.destroy();
  child.stdout.resume();
  const timers = (['SIGTERM', 'SIGKILL'] as const).map((signal, step) =>
    setTimeout(
      () => {
        signalGroup(child, signal);
      },
      (step + 1) * TIDY_UP_MS,
    ),
  );
  child.once('close', () => {
    for (const timer of timers) clearTimeout(timer);
  });
}

function signalGroup({ pid }: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** A limit that is already lower cannot be raised, which is not an error. */
function limited(fileBytes: number): string {
  assert(Number.isSafeInteger(fileBytes) && fileBytes > 0);
  // File sizes are in blocks of 512 bytes (POSIX), and memory is in KiB.
  const limits = { c: 0, d: DATA_KIB, f: Math.ceil(fileBytes / 512), t: CPU_SECONDS, n: OPEN_FILES };
  return [
    ...Object.entries(limits).map(([name, value]) => `ulimit -${name} ${value} 2>/dev/null`),
    'umask 022',
    // From its first moment on: a child that was started before would keep its priority.
    `exec /usr/bin/nice -n ${NICENESS} "$@"`,
  ].join('\n');
}

async function feed(
  { stdin }: ChildProcessWithoutNullStreams,
  input: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  for await (const chunk of input) {
    if (stdin.destroyed) return;
    if (!stdin.write(chunk)) await roomIn(stdin);
  }
  stdin.end();
}

const roomIn = (stdin: Writable): Promise<void> =>
  new Promise((resolve) => {
    stdin.once('drain', resolve);
    stdin.once('close', resolve);
  });

interface Gathered {
  readonly overflown: boolean;
  text(): Buffer;
  errors(): string;
}

function gather(child: ChildProcessWithoutNullStreams, maxBytes: number): Gathered {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else end(child);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < SHOWN_OF_ERRORS) errors += chunk.toString();
  });
  return {
    get overflown() {
      return bytes > maxBytes;
    },
    text: () => Buffer.concat(chunks),
    errors: () => errors.slice(0, SHOWN_OF_ERRORS).trim(),
  };
}

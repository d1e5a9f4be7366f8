import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { beNice, nicenessOf, ORDINARY_CPU } from '../../../platform/isolation/cpu-share.js';
import { gitEnvironment } from './git-settings.js';
import { RepositoriesHome } from './repositories-home.js';

/** Well above what git needs with its settings: they bound it, and this bounds what they overlook. */
const DATA_KIB = 768 * 1_024;
const CPU_SECONDS = 600;
const OPEN_FILES = 512;
/** A dozen pushes at once want no more of the processors than one busy thread of the service. */
const NICENESS = nicenessOf(ORDINARY_CPU);
/** After its input has ended git removes what it has not finished; at a signal it does not (since 2.39). */
const TIDY_UP_MS = 2_000;
const SHOWN_OF_ERRORS = 2_000;

interface ProgramOptions {
  readonly args: readonly string[];
  /** What it may write to one file. */
  readonly fileBytes: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
}

interface ScriptOptions extends Omit<ProgramOptions, 'args'> {
  /** For `/bin/sh`, which gets `args` as `$1`… */
  readonly script: string;
  readonly args: readonly string[];
  readonly input?: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly timeoutMs: number;
  readonly maxOutputBytes?: number;
}

/** Runs git as the user of the repositories, with little memory and time, and nothing of our environment. */
@Injectable()
export class GitPrograms {
  constructor(private readonly home: RepositoriesHome) {}

  /** Starts a program whose pipes the caller serves. It is the head of a process group, see {@link end}. */
  start({ args, fileBytes, environment = {}, settings = {} }: ProgramOptions): ChildProcessWithoutNullStreams {
    const { account } = this.home;
    const child = spawn('/bin/sh', ['-c', limited(fileBytes), 'sh', ...args], {
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
      cwd: '/',
      env: { ...gitEnvironment(settings), ...environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) beNice(child.pid, NICENESS);
    // Who reads the outcome is told by `exit` or `error`; a pipe that breaks says nothing else.
    child.stdin.on('error', () => undefined);
    return child;
  }

  /** @throws {Error} when the script fails, with what it said, is too slow or says too much. */
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
      const [[status, signal]] = await Promise.all([
        once(child, 'close') as Promise<[number | null, string | null]>,
        feed(child, input),
      ]);
      if (status === 0 && !output.overflown) return output.text();
      throw new Error(
        `git ended with ${String(status ?? signal)}${output.overflown ? ' and said too much' : ''}: ${output.errors()}`,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Ends a program with all that it has started: as if its caller had said no more, then by force. May be called again.
 */
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
    // It is gone.
  }
}

/** A limit that is lower already cannot be raised to ours, which is no fault. */
function limited(fileBytes: number): string {
  assert(Number.isSafeInteger(fileBytes) && fileBytes > 0);
  // Files are counted in blocks of 512 bytes (POSIX), memory in KiB.
  const limits = { c: 0, d: DATA_KIB, f: Math.ceil(fileBytes / 512), t: CPU_SECONDS, n: OPEN_FILES };
  return [
    ...Object.entries(limits).map(([name, value]) => `ulimit -${name} ${value} 2>/dev/null`),
    'umask 022',
    'exec "$@"',
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

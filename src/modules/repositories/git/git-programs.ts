import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { moreSettings } from './git-settings.js';
import { RepositoriesHome } from './repositories-home.js';
import { Shells } from './shells.js';
import type { GitProcess } from './waiting-shell.js';

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
  private readonly shells: Shells;

  constructor(home: RepositoriesHome, shutdown: Shutdown) {
    this.shells = new Shells(home.account);
    shutdown.at('workers', () => {
      this.shells.close();
    });
  }

  /** Starts a program whose pipes the caller serves. It leads a process group, see {@link end}. */
  async start({ args, fileBytes, environment = {}, settings = {} }: ProgramOptions): Promise<GitProcess> {
    const shell = await this.shells.take();
    return shell.begin({ args, fileBytes, environment: { ...moreSettings(settings), ...environment } });
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
    const child = await this.start({ ...request, args: ['/bin/sh', '-c', script, 'sh', ...args] });
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
export function end(child: GitProcess): void {
  child.stdout.resume();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin.destroy();
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

function signalGroup({ pid }: GitProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}

async function feed({ stdin }: GitProcess, input: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
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

function gather(child: GitProcess, maxBytes: number): Gathered {
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

import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Language, Run, TryRequest } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, type SendOptions } from '../context.js';
import { EXIT, UsageError } from '../failures.js';
import { streamingFetch } from '../streamed-run.js';

const LANGUAGE_BY_EXTENSION: Readonly<Record<string, Language>> = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'typescript',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.py': 'python',
};

/** A run whose output was printed is not repeated. */
const STREAMED: SendOptions = { fetch: streamingFetch, maxRetries: 0 };

/** The result of a run, with or without an account. */
export type Ended = Pick<Run, 'status' | 'exit_code' | 'signal' | 'stdout' | 'stderr' | 'truncated'>;

interface RunOptions {
  readonly language?: Language;
  readonly input?: string;
  readonly env?: readonly string[];
  readonly timezone?: string;
  readonly locale?: string;
  readonly check?: boolean;
  readonly stream?: true;
}

export function addSandboxRun(sandbox: Command): void {
  sandbox
    .command('run')
    .argument('<file>', 'the program file; "-" reads it from standard input')
    .argument('[args...]', 'arguments of the program; write them after "--"')
    .description('run a program, print its output and exit with its exit code')
    .addOption(
      new Option('--language <language>', 'language of the program (default: from the extension of the file)').choices([
        'typescript',
        'javascript',
        'python',
      ]),
    )
    .option('--input <file>', 'file for the standard input of the program; "-" passes on this standard input')
    .option('--env <name=value...>', 'environment variables of the program')
    .option('--timezone <name>', 'local time of the program, such as Europe/Berlin (default: UTC)')
    .option('--locale <tag>', 'locale of the program, such as de-DE')
    .option('--check', 'check the types of TypeScript first; a program with errors does not start')
    .option('--stream', 'print the output while the program runs, and not at its end')
    .action(async (file: string, args: string[], options: RunOptions, command: Command) => {
      const { language, input, env, timezone, locale, check, stream } = options;
      if (file === '-' && input === '-')
        throw new UsageError('Standard input cannot be both the program and its input. Pass a file for one of them.');
      const request = {
        language: languageOf(file, language),
        code: await contentOf(file),
        ...(input === undefined ? {} : { stdin: await contentOf(input) }),
        ...(args.length === 0 ? {} : { args }),
        ...(env === undefined ? {} : { env: variablesOf(env) }),
        ...(timezone === undefined ? {} : { timezone }),
        ...(locale === undefined ? {} : { locale }),
        ...(check === undefined ? {} : { check }),
      };
      const context = await Context.of(command);
      if (stream === true && context.json)
        throw new UsageError('--json prints the whole result at once. Leave out --stream.');
      const execution = await run(context, request, stream === true ? STREAMED : {});
      if (context.json) context.print(execution, '');
      else if (stream === true) passNotes(execution);
      else pass(execution);
      process.exitCode = exitCodeOfProgram(execution);
    });
}

/** Without a key the program runs in the anonymous sandbox, which reports how many runs are left today. */
async function run(context: Context, request: TryRequest, options: SendOptions): Promise<Ended> {
  const service = await context.serviceIfLoggedIn(options);
  if (service !== undefined) return service.sandbox.run(request);
  const { data, meta } = await context.serviceWith({ anonymous: true }, options).sandbox.try(request);
  return Object.assign(data, { remaining_executions: meta.remaining_executions });
}

function pass(ended: Ended): void {
  process.stdout.write(ended.stdout ?? '');
  process.stderr.write(ended.stderr ?? '');
  passNotes(ended);
}

export function passNotes({ status, truncated }: Ended): void {
  if (status === 'timed_out') process.stderr.write('service: the time limit is reached\n');
  if (status === 'out_of_memory') process.stderr.write('service: the memory limit is reached\n');
  if (status === 'cancelled' || status === 'lost') process.stderr.write(`service: the run was ${status}\n`);
  if (truncated?.stdout === true || truncated?.stderr === true)
    process.stderr.write('service: the output is too long; the rest is left out\n');
}

/** The codes are those of shells and `timeout`: 124 for a time-out, and 128 plus the signal for a killed program. */
export function exitCodeOfProgram({ status, exit_code = null, signal = null }: Ended): number {
  if (status === 'timed_out') return EXIT.timedOut;
  if (status === 'out_of_memory') return EXIT.outOfMemory;
  if (exit_code !== null) return exit_code;
  return signal === null
    ? EXIT.otherError
    : 128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? 0);
}

export function variablesOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const at = assignment.indexOf('=');
      if (at < 1) throw new UsageError(`--env takes NAME=VALUE, and "${assignment}" is not.`);
      return [assignment.slice(0, at), assignment.slice(at + 1)];
    }),
  );
}

function languageOf(file: string, language: Language | undefined): Language {
  const found = language ?? LANGUAGE_BY_EXTENSION[extname(file)];
  if (found === undefined)
    throw new UsageError(`The language of ${file === '-' ? 'standard input' : file} is unknown. Pass --language.`);
  return found;
}

export async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

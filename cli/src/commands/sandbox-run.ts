import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Language, Run, Service, TryRequest } from '@service/client';
import { type Command, Option } from 'commander';
import { Context } from '../context.js';
import { EXIT, UsageError } from '../failures.js';

const LANGUAGE_BY_EXTENSION: Readonly<Record<string, Language>> = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.py': 'python',
};

/** How a run ended, with or without an account. */
type Ended = Pick<Run, 'status' | 'exit_code' | 'signal' | 'stdout' | 'stderr' | 'truncated'>;

interface RunOptions {
  readonly language?: Language;
  readonly input?: string;
}

export function addSandboxRun(sandbox: Command): void {
  sandbox
    .command('run')
    .argument('<file>', 'the program; "-" reads it from standard input')
    .description('run a program and end as it ended: with its output and its exit code')
    .addOption(
      new Option('--language <language>', 'by default told by the extension').choices([
        'typescript',
        'javascript',
        'python',
      ]),
    )
    .option('--input <file>', 'what the program reads from its standard input; "-" for ours')
    .action(async (file: string, { language, input }: RunOptions, command: Command) => {
      if (file === '-' && input === '-')
        throw new UsageError('Standard input cannot be both the program and its input.');
      const request = {
        language: languageOf(file, language),
        code: await contentOf(file),
        ...(input === undefined ? {} : { stdin: await contentOf(input) }),
      };
      const context = await Context.of(command);
      const execution = await run(await context.serviceIfLoggedIn(), context, request);
      if (context.json) context.print(execution, '');
      else pass(execution);
      process.exitCode = exitCodeOfProgram(execution);
    });
}

/** Without a key it is the anonymous sandbox, which says how many runs are left today. */
async function run(service: Service | undefined, context: Context, request: TryRequest): Promise<Ended> {
  if (service !== undefined) return service.sandbox.run(request);
  const { data, meta } = await context.serviceWith({ anonymous: true }).sandbox.try(request);
  return Object.assign(data, { remaining_executions: meta.remaining_executions });
}

function pass({ stdout = '', stderr = '', status, truncated }: Ended): void {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  if (status === 'timed_out') process.stderr.write('service: the time limit is reached\n');
  if (status === 'out_of_memory') process.stderr.write('service: the memory limit is reached\n');
  if (status === 'cancelled' || status === 'lost') process.stderr.write(`service: the run was ${status}\n`);
  if (truncated?.stdout === true || truncated?.stderr === true)
    process.stderr.write('service: the output is too long; the rest is left out\n');
}

/** As shells have it: 124 for a program that was stopped for its time, 128 and the signal for one that was killed. */
function exitCodeOfProgram({ status, exit_code = null, signal = null }: Ended): number {
  if (status === 'timed_out') return EXIT.timedOut;
  if (status === 'out_of_memory') return EXIT.outOfMemory;
  if (exit_code !== null) return exit_code;
  return signal === null
    ? EXIT.otherError
    : 128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? 0);
}

function languageOf(file: string, language: Language | undefined): Language {
  const found = language ?? LANGUAGE_BY_EXTENSION[extname(file)];
  if (found === undefined)
    throw new UsageError(`The language of ${file === '-' ? 'standard input' : file} is not known. Give --language.`);
  return found;
}

async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

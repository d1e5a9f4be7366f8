import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Language, Run, RunRequest, Service } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, type SendOptions } from '../context.js';
import { EXIT, UsageError } from '../failures.js';
import { saveArtifacts } from '../artifacts.js';
import { streamingFetch } from '../streamed-run.js';
import { sizeText } from '../sizes.js';
import { printable } from '../terminal.js';

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
export type Ended = Pick<
  Run,
  | 'id'
  | 'status'
  | 'exit_code'
  | 'signal'
  | 'stdout'
  | 'stderr'
  | 'truncated'
  | 'state_lost'
  | 'results'
  | 'artifacts'
  | 'artifact_errors'
>;

/** Results that a terminal can show. */
const TEXTS: readonly string[] = ['text/plain', 'application/json'];

/** What commands take that run code. */
export interface PackageOptions {
  readonly packageSet?: NonNullable<RunRequest['package_set']> | undefined;
  readonly package?: readonly string[] | undefined;
}

export const packageSetOption = (): Option =>
  new Option('--package-set <name>', 'set of installed packages for the program').choices([
    'python-data',
    'node-common',
  ]);
export const PACKAGE_OPTION = [
  '--package <package...>',
  'package for the program, such as npm:lodash@4.18.1 or pip:six==1.16.0',
] as const;

interface RunOptions extends PackageOptions {
  readonly language?: Language;
  readonly input?: string;
  readonly env?: readonly string[];
  readonly timezone?: string;
  readonly locale?: string;
  readonly check?: boolean;
  readonly stream?: true;
  readonly rich?: true;
  readonly artifacts?: string;
  readonly allow?: string[];
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
    .addOption(packageSetOption())
    .option(...PACKAGE_OPTION)
    .option('--stream', 'print the output while the program runs, and not at its end')
    .option('--rich', 'print the last expression of a program in Python, and name its figures')
    .option('--artifacts <directory>', 'save the files that the program leaves in /artifacts to this directory')
    .option('--allow <host...>', 'hosts that the program may connect to, such as api.example.com or *.example.org')
    .action(async (file: string, args: string[], options: RunOptions, command: Command) => {
      const { language, input, env, timezone, locale, check, stream, rich, artifacts, allow } = options;
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
        ...packageFieldsOf(options),
        ...(rich === undefined ? {} : { rich_results: rich }),
        ...(artifacts === undefined ? {} : { artifacts: true }),
        ...(allow === undefined ? {} : { network: { allow } }),
      };
      const context = await Context.of(command);
      if (stream === true && context.json)
        throw new UsageError('--json prints the whole result at once. Leave out --stream.');
      const { execution, service } = await run(context, request, stream === true ? STREAMED : {});
      if (artifacts !== undefined && service !== undefined) await saveArtifacts(service, execution, artifacts);
      if (context.json) context.print(execution, '');
      else if (stream === true) passNotes(execution);
      else pass(execution);
      process.exitCode = exitCodeOfProgram(execution);
    });
}

/** Without a key the program runs in the anonymous sandbox, which reports how many runs are left today. */
async function run(
  context: Context,
  request: RunRequest,
  options: SendOptions,
): Promise<{ readonly execution: Ended; readonly service?: Service }> {
  const service = await context.serviceIfLoggedIn(options);
  if (service !== undefined) return { execution: await service.sandbox.run(request), service };
  if (request.packages !== undefined || request.package_set !== undefined)
    throw new UsageError('Packages need an account. Run "service login", or leave them out.');
  if (request.artifacts === true || request.rich_results === true || request.network !== undefined)
    throw new UsageError('--artifacts, --rich and --allow need an account. Run "service login" first.');
  const { data, meta } = await context.serviceWith({ anonymous: true }, options).sandbox.try(request);
  return { execution: Object.assign(data, { remaining_executions: meta.remaining_executions }) };
}

function pass(ended: Ended): void {
  process.stdout.write(ended.stdout ?? '');
  process.stderr.write(ended.stderr ?? '');
  passNotes(ended);
}

export function passNotes({
  status,
  truncated,
  state_lost: isLost,
  results = [],
  artifact_errors: errors = [],
}: Ended): void {
  for (const { type, data } of results)
    if (TEXTS.includes(type)) process.stdout.write(`${printable(data)}\n`);
    else process.stderr.write(`service: a result of type ${type} (${sizeText(data.length)}); --json prints it\n`);
  for (const { path = 'artifacts', message } of errors)
    process.stderr.write(`service: ${printable(path)} is not kept: ${message}\n`);
  if (status === 'timed_out') process.stderr.write('service: the time limit is reached\n');
  if (status === 'out_of_memory') process.stderr.write('service: the memory limit is reached\n');
  if (status === 'cancelled' || status === 'lost') process.stderr.write(`service: the run was ${status}\n`);
  if (truncated?.stdout === true || truncated?.stderr === true)
    process.stderr.write('service: the output is too long; the rest is left out\n');
  if (isLost === true)
    process.stderr.write('service: the interpreter was replaced: variables are gone, files remain\n');
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

/** Returns the fields of a request that say which packages it needs. */
export const packageFieldsOf = ({
  packageSet,
  package: named,
}: PackageOptions): Pick<RunRequest, 'package_set' | 'packages'> => ({
  ...(packageSet === undefined ? {} : { package_set: packageSet }),
  ...(named === undefined ? {} : { packages: packagesOf(named) }),
});

function packagesOf(named: readonly string[]): NonNullable<RunRequest['packages']> {
  const packages: { npm?: string[]; pip?: string[] } = {};
  for (const each of named) {
    const [, registry, name] = /^(npm|pip):(.+)$/.exec(each) ?? [];
    if (name === undefined)
      throw new UsageError(`--package takes npm:NAME@VERSION or pip:NAME==VERSION, and "${each}" is neither.`);
    (packages[registry as 'npm' | 'pip'] ??= []).push(name);
  }
  return packages;
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

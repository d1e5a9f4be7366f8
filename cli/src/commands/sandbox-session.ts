import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Language, SandboxSession, SandboxSessionFile } from '@service/client';
import { LiveSandbox, type LiveSession, type SandboxSessions } from '@service/client/sandbox';
import { type Command, Option } from 'commander';
import { saveArtifacts } from '../artifacts.js';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';
import { wholeNumber } from '../numbers.js';
import { type EndedRun, exitCodeOfProgram, passBeside } from '../sandbox/ended-run.js';
import { printed } from '../sandbox/printed-run.js';
import {
  bytesOf,
  contentOf,
  languageOption,
  PACKAGE_OPTION,
  packageFieldsOf,
  type PackageOptions,
  packageSetOption,
  variablesOf,
} from '../sandbox/run-options.js';
import { SavedResults } from '../sandbox/saved-results.js';
import { SAVE_RESULTS_OPTION, savedResultsIn } from '../sandbox/shown-results.js';
import { sizeText } from '../sizes.js';
import { printable } from '../terminal.js';

const ARTIFACTS = [
  '--artifacts <directory>',
  'save the files that are in /artifacts at the end to this directory, and remove them in the session',
] as const;
const SESSION = ['<session>', 'ID of the session'] as const;

/** Adds the commands for sessions, which keep variables and files between runs. */
export function addSandboxSession(sandbox: Command): void {
  const session = sandbox.command('session').description('keep an interpreter with its variables and files');
  addCreate(session);
  addReads(session);
  addWork(session);
  addFiles(session);
}

interface CreateOptions extends PackageOptions {
  readonly language: Language;
  readonly name?: string;
  readonly memory?: number;
  readonly idle?: number;
  readonly env?: readonly string[];
  readonly timezone?: string;
  readonly locale?: string;
  readonly allow?: readonly string[];
}

function addCreate(session: Command): void {
  session
    .command('create')
    .description('create a session, and print its ID')
    .addOption(languageOption('language of the session').default('python'))
    .option('--name <name>', 'name of the session')
    .option('--memory <MiB>', 'memory limit', wholeNumber)
    .option('--idle <seconds>', 'the session ends when it is not used for this long (default: 300)', wholeNumber)
    .option('--env <name=value...>', 'environment variables')
    .option('--timezone <name>', 'local time, such as Europe/Berlin (default: UTC)')
    .option('--locale <tag>', 'locale, such as de-DE')
    .option('--allow <host...>', 'hosts that its code may connect to, such as api.example.com or *.example.org')
    .addOption(packageSetOption())
    .option(...PACKAGE_OPTION)
    .action(
      async ({ memory, idle, env, allow, packageSet, package: named, ...rest }: CreateOptions, command: Command) => {
        const context = await Context.of(command);
        const created = await (
          await sessionsOf(context)
        ).create({
          ...rest,
          ...packageFieldsOf({ packageSet, package: named }),
          ...(memory === undefined ? {} : { memory_mib: memory }),
          ...(idle === undefined ? {} : { idle_timeout_seconds: idle }),
          ...(env === undefined ? {} : { env: variablesOf(env) }),
          ...(allow === undefined ? {} : { network: { allow } }),
        });
        context.print(created.info, created.id);
      },
    );
}

function addReads(session: Command): void {
  session
    .command('list')
    .description('list sessions')
    .addOption(
      new Option('--status <status>', 'only those in this state').choices([
        'starting',
        'awake',
        'frozen',
        'ended',
        'lost',
      ]),
    )
    .action(async ({ status }: { status?: SandboxSession['status'] }, command: Command) => {
      const context = await Context.of(command);
      const all: SandboxSession[] = [];
      for await (const each of (await sessionsOf(context)).list({ limit: 100, status })) all.push(each);
      context.print(all, tableOf(['ID', 'LANGUAGE', 'STATUS', 'LAST USED', 'NAME'], all.map(rowOf)));
    });
  session
    .command('get')
    .argument(...SESSION)
    .description('print a session')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      printSession(context, (await (await sessionsOf(context)).get(id)).info!);
    });
  session
    .command('end')
    .argument(...SESSION)
    .description('end a session; its variables and files are gone')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      printSession(context, await (await sessionOf(context, id)).end());
    });
}

interface ShellOptions {
  readonly artifacts?: string;
}

interface RunOptions extends ShellOptions {
  readonly input?: string;
  readonly saveResults?: string;
}

function addWork(session: Command): void {
  session
    .command('run')
    .argument(...SESSION)
    .argument('<file>', 'the program file; "-" reads it from standard input')
    .description('run a program in a session, print its output and exit with its exit code')
    .option('--input <file>', 'file for the standard input of the program; "-" passes on this standard input')
    .option(...ARTIFACTS)
    .option(...SAVE_RESULTS_OPTION)
    .action(async (id: string, file: string, options: RunOptions, command: Command) => {
      const { input, artifacts, saveResults } = options;
      if (file === '-' && input === '-')
        throw new UsageError('Standard input cannot be both the program and its input. Pass a file for one of them.');
      const stdin = input === undefined ? {} : { stdin: await contentOf(input) };
      const code = { code: await contentOf(file), ...stdin, ...wanted(artifacts) };
      const context = await Context.of(command);
      const saved = savedResultsIn(saveResults, context);
      const session = await sessionOf(context, id);
      const ended = await (context.json ? session.run(code) : printed(session.stream(code)));
      await end(context, ended, { artifacts, saved });
    });
  session
    .command('shell')
    .argument(...SESSION)
    .argument('<command...>', 'the command; write its options after "--"')
    .description('run a command of the shell in a session, and exit with its exit code')
    .option(...ARTIFACTS)
    .action(async (id: string, words: readonly string[], { artifacts }: ShellOptions, command: Command) => {
      const line = { command: words.join(' '), ...wanted(artifacts) };
      const context = await Context.of(command);
      const session = await sessionOf(context, id);
      const ended = await (context.json ? session.shell(line) : printed(session.streamShell(line)));
      await end(context, ended, { artifacts, saved: new SavedResults() });
    });
}

const wanted = (directory: string | undefined): { artifacts?: true } =>
  directory === undefined ? {} : { artifacts: true };

/** Where what a run leaves is saved. */
interface Kept {
  readonly artifacts: string | undefined;
  readonly saved: SavedResults;
}

/** Without `--json`, the output was printed already. */
async function end(context: Context, ended: EndedRun, { artifacts, saved }: Kept): Promise<void> {
  if (artifacts !== undefined) await saveArtifacts(await context.service(), ended, artifacts);
  if (context.json) context.print(ended, '');
  else await passBeside(ended, saved);
  process.exitCode = exitCodeOfProgram(ended);
}

function addFiles(session: Command): void {
  session
    .command('files')
    .argument(...SESSION)
    .argument('[directory]', 'directory (default: the working directory)')
    .description('list the files of a session')
    .action(async (id: string, directory: string | undefined, _options: object, command: Command) => {
      const context = await Context.of(command);
      const files = await (await sessionOf(context, id)).files.list(directory);
      context.print(files, tableOf(['PATH', 'SIZE', 'MODIFIED'], files.map(rowOfFile)));
    });
  session
    .command('download')
    .argument(...SESSION)
    .argument('<path>', 'path in the session')
    .argument('[file]', 'file to write; without it, the content is printed')
    .description('copy a file of a session')
    .action(async (id: string, path: string, file: string | undefined, _options: object, command: Command) => {
      const content = await (await sessionOf(await Context.of(command), id)).files.read(path);
      if (file === undefined) process.stdout.write(content);
      else await writeFile(file, content);
    });
  session
    .command('upload')
    .argument(...SESSION)
    .argument('<file>', 'file to send')
    .argument('[path]', 'path in the session (default: the name of the file)')
    .description('copy a file to a session')
    .action(async (id: string, file: string, path: string | undefined, _options: object, command: Command) => {
      const { files } = await sessionOf(await Context.of(command), id);
      await files.write(path ?? basename(file), await bytesOf(file));
    });
  session
    .command('remove')
    .argument(...SESSION)
    .argument('<path>', 'path in the session')
    .description('delete a file of a session, or a directory with all that it contains')
    .action(async (id: string, path: string, _options: object, command: Command) => {
      await (await sessionOf(await Context.of(command), id)).files.delete(path);
    });
}

const sessionsOf = async (context: Context): Promise<SandboxSessions> =>
  new LiveSandbox(await context.service()).sessions;

const sessionOf = async (context: Context, id: string): Promise<LiveSession> => (await sessionsOf(context)).withId(id);

function printSession(context: Context, session: SandboxSession): void {
  context.print(session, `${session.id}  ${session.status}`);
}

const rowOf = ({ id, language, status, last_used_at: used, name = '' }: SandboxSession): string[] => [
  id,
  language,
  status,
  used,
  printable(name),
];

const rowOfFile = ({ path, type, size_bytes: size, modified_at: modified }: SandboxSessionFile): string[] => [
  printable(type === 'directory' ? `${path}/` : path),
  type === 'file' ? sizeText(size) : '',
  modified,
];

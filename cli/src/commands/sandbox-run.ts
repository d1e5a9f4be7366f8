import { extname } from 'node:path';
import type { Language, RunRequest, Service } from '@service/client';
import { LiveSandbox } from '@service/client/sandbox';
import type { Command } from 'commander';
import { saveArtifacts } from '../artifacts.js';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { seconds, wholeNumber } from '../numbers.js';
import { type EndedRun, exitCodeOfProgram, pass, passBeside } from '../sandbox/ended-run.js';
import { ended, printed, undoneAtEnd } from '../sandbox/printed-run.js';
import {
  contentOf,
  languageOption,
  PACKAGE_OPTION,
  packageFieldsOf,
  type PackageOptions,
  packageSetOption,
  variablesOf,
} from '../sandbox/run-options.js';
import { SAVE_RESULTS_OPTION, savedResultsIn } from '../sandbox/shown-results.js';

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

/** Programs that may take longer are followed: what is on the way ends answers that say nothing for minutes. */
const LONGEST_ANSWER_MS = 60_000;
/** Before that, a run waits in its queue. */
const QUEUE_MS = 30_000;

interface RunOptions extends PackageOptions {
  readonly language?: Language;
  readonly input?: string;
  readonly env?: readonly string[];
  readonly timezone?: string;
  readonly locale?: string;
  readonly check?: boolean;
  readonly timeout?: number;
  readonly memory?: number;
  readonly stream?: true;
  readonly rich?: true;
  readonly saveResults?: string;
  readonly artifacts?: string;
  readonly allow?: string[];
}

export function addSandboxRun(sandbox: Command): void {
  sandbox
    .command('run')
    .argument('<file>', 'the program file; "-" reads it from standard input')
    .argument('[args...]', 'arguments of the program; write them after "--"')
    .description('run a program, print its output and exit with its exit code')
    .addOption(languageOption('language of the program (default: from the extension of the file)'))
    .option('--input <file>', 'file for the standard input of the program; "-" passes on this standard input')
    .option('--env <name=value...>', 'environment variables of the program')
    .option('--timezone <name>', 'local time of the program, such as Europe/Berlin (default: UTC)')
    .option('--locale <tag>', 'locale of the program, such as de-DE')
    .option('--timeout <seconds>', 'time limit, such as 10 or 0.5, up to that of the plan (default: 30)', seconds)
    .option('--memory <MiB>', 'memory limit, up to that of the plan (default: 256)', wholeNumber)
    .option('--check', 'check the types of TypeScript first; a program with errors does not start')
    .addOption(packageSetOption())
    .option(...PACKAGE_OPTION)
    .option('--stream', 'print the output while the program runs, and not at its end')
    .option('--rich', 'show the last expression of a program in Python and its figures, as a notebook does')
    .option(...SAVE_RESULTS_OPTION)
    .option('--artifacts <directory>', 'save the files that the program leaves in /artifacts to this directory')
    .option('--allow <host...>', 'hosts that the program may connect to, such as api.example.com or *.example.org')
    .action(async (file: string, args: string[], options: RunOptions, command: Command) => {
      const { language, input, env, timezone, locale, check, stream, artifacts, allow } = options;
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
        ...limitsOf(options),
        ...packageFieldsOf(options),
        ...(isRich(options) ? { rich_results: true } : {}),
        ...(artifacts === undefined ? {} : { artifacts: true }),
        ...(allow === undefined ? {} : { network: { allow } }),
      };
      const context = await Context.of(command);
      if (stream === true && context.json)
        throw new UsageError('--json prints the whole result at once. Leave out --stream.');
      const saved = savedResultsIn(options.saveResults, context);
      const { execution, service } = await run(context, request, stream === true);
      if (artifacts !== undefined && service !== undefined) await saveArtifacts(service, execution, artifacts);
      if (context.json) context.print(execution, '');
      else if (stream === true) await passBeside(execution, saved);
      else await pass(execution, saved);
      process.exitCode = exitCodeOfProgram(execution);
    });
}

const isRich = ({ rich, saveResults }: RunOptions): boolean => rich === true || saveResults !== undefined;

const limitsOf = ({ timeout, memory }: RunOptions): Pick<RunRequest, 'timeout_ms' | 'memory_mib'> => ({
  ...(timeout === undefined ? {} : { timeout_ms: Math.round(timeout * 1000) }),
  ...(memory === undefined ? {} : { memory_mib: memory }),
});

/** Without a key the program runs in the anonymous sandbox, which reports how many runs are left today. */
async function run(
  context: Context,
  request: RunRequest,
  prints: boolean,
): Promise<{ readonly execution: EndedRun; readonly service?: Service }> {
  const service = await context.serviceIfLoggedIn();
  if (service !== undefined) return { execution: await runWith(service, request, prints), service };
  if (request.packages !== undefined || request.package_set !== undefined)
    throw new UsageError('Packages need an account. Run "service login", or leave them out.');
  if (request.artifacts === true || request.rich_results === true || request.network !== undefined)
    throw new UsageError('--artifacts, --rich, --save-results and --allow need an account. Run "service login" first.');
  if (request.timeout_ms !== undefined || request.memory_mib !== undefined)
    throw new UsageError('--timeout and --memory need an account. Run "service login" first.');
  const anonymous = context.serviceWith({ anonymous: true });
  if (prints) return { execution: await printed(new LiveSandbox(anonymous).tryStream(request)) };
  const { data, meta } = await anonymous.sandbox.try(request);
  return { execution: Object.assign(data, { remaining_executions: meta.remaining_executions }) };
}

/** The run of a stream would go on without the command, so that its end cancels the run. */
const runWith = (service: Service, request: RunRequest, prints: boolean): Promise<EndedRun> =>
  prints || (request.timeout_ms ?? 0) > LONGEST_ANSWER_MS
    ? undoneAtEnd((signal) => (prints ? printed : ended)(new LiveSandbox(service).stream(request, { signal })))
    : service.sandbox.run(request, { timeoutMs: QUEUE_MS + LONGEST_ANSWER_MS });

function languageOf(file: string, language: Language | undefined): Language {
  const found = language ?? LANGUAGE_BY_EXTENSION[extname(file)];
  if (found === undefined)
    throw new UsageError(`The language of ${file === '-' ? 'standard input' : file} is unknown. Pass --language.`);
  return found;
}

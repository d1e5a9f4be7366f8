import type { RuntimeLogLevel, Service } from '@service/client';
import { type Command, Option } from 'commander';
import { Context } from '../context.js';
import { logLineText } from '../deploy-text.js';
import { UsageError } from '../failures.js';
import { latestOf } from '../latest-deploy.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';
import { wholeNumber } from '../numbers.js';
import { RUNTIME_LOG_LEVELS, runtimeLineText } from '../runtime-log-text.js';

interface RuntimeOptions {
  readonly deploy?: string;
  readonly level?: RuntimeLogLevel[];
  readonly limit?: number;
}

interface LogsOptions extends ProjectOption, RuntimeOptions {
  readonly runtime?: true;
  readonly follow?: boolean;
}

export function addLogs(program: Command): void {
  withProject(program.command('logs'))
    .argument('[deploy-id]', 'deploy to show (default: the latest of the project; with --runtime, all)')
    .description('show the log of a deploy until it ends, or with --runtime what the servers of a project print')
    .option('--runtime', 'show what the servers print, instead of the log of a build')
    .option('--follow', 'wait for further lines (default; with --runtime, only if given)')
    .option('--no-follow', 'show only the lines so far')
    .addOption(new Option('--level <level...>', 'with --runtime: only these levels').choices(RUNTIME_LOG_LEVELS))
    .option('--deploy <deploy-id>', 'with --runtime: only lines of this deploy')
    .option('--limit <number>', 'with --runtime: how many of the last lines to begin with', wholeNumber)
    .action(async (id: string | undefined, options: LogsOptions, command: Command) => {
      const { runtime = false, ...others } = options;
      checkOptions(id, options);
      const context = await Context.of(command);
      const service = await context.service();
      if (runtime) await showRuntimeLog(context, service, id === undefined ? others : { ...others, deploy: id });
      else await showDeployLog(context, service, id, options);
    });
}

function checkOptions(id: string | undefined, { runtime, deploy, level, limit }: LogsOptions): void {
  if (runtime === undefined && (deploy ?? level ?? limit) !== undefined)
    throw new UsageError('--deploy, --level and --limit are for the lines of servers. Add --runtime.');
  if (id !== undefined && deploy !== undefined)
    throw new UsageError('The deploy is given twice. Pass it as the argument or with --deploy.');
}

async function showDeployLog(
  context: Context,
  service: Service,
  id: string | undefined,
  { follow = true, ...options }: LogsOptions,
): Promise<void> {
  for await (const line of service.deploys.logs(id ?? (await latestOf(service, options)).id, { follow })) {
    process.stdout.write(`${context.json ? JSON.stringify(line) : logLineText(context.paint, line)}\n`);
  }
}

async function showRuntimeLog(
  context: Context,
  service: Service,
  { follow = false, level, deploy, limit, ...options }: LogsOptions,
): Promise<void> {
  const wanted = { follow, deploy, levels: level, limit };
  let shown = deploy;
  for await (const line of service.projects.runtimeLogs(await projectOf(options), wanted)) {
    // A note says whose lines follow, as with `tail` and several files.
    if (line.deploy_id !== shown) context.note(context.notePaint.dim(`==> ${line.deploy_id} <==`));
    shown = line.deploy_id;
    process.stdout.write(`${context.json ? JSON.stringify(line) : runtimeLineText(context.paint, line)}\n`);
  }
}

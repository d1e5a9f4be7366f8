import type { Deploy, Service } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { logLineText } from '../deploy-text.js';
import { EXIT, UsageError } from '../failures.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';
import { upload } from '../upload/upload.js';

interface DeployOptions extends ProjectOption {
  readonly branch?: string;
  readonly commit?: string;
  readonly production?: true;
  readonly force?: true;
  readonly wait: boolean;
}

export function addDeploy(program: Command): void {
  withProject(program.command('deploy'))
    .argument('[directory]', 'directory to upload and deploy (default: deploy the linked repository)')
    .description(
      'deploy a directory, or a branch of the linked repository; show the log, and exit with 0 if it is ready and 1 ' +
        'if it is not',
    )
    .option(
      '--branch <branch>',
      'branch to deploy, or to name a deploy of a directory after (default: the production branch)',
    )
    .option('--commit <hash>', 'full hash of the commit to deploy')
    .option('--production', 'deploy to production instead of a preview')
    .option('--force', 'build again even if the commit was built before')
    .option('--no-wait', 'exit as soon as the deploy is queued')
    .action(async (directory: string | undefined, options: DeployOptions, command: Command) => {
      const { branch, commit, production, force, wait } = options;
      if (directory !== undefined && commit !== undefined)
        throw new UsageError('A directory has no commits. Pass either the directory or --commit.');
      const context = await Context.of(command);
      const service = await context.service();
      const project = await projectOf(options, directory);
      const uploadId = directory === undefined ? undefined : await upload(context, service, { project, directory });
      const queued = await service.projects.deploy(project, {
        type: production === true ? 'production' : 'preview',
        force: force === true,
        ...(branch === undefined ? {} : { branch }),
        ...(commit === undefined ? {} : { commit }),
        ...(uploadId === undefined ? {} : { source: { upload_id: uploadId } }),
      });
      context.note(`${queued.id} of ${queued.branch}, ${queued.type}`);
      reportEnd(context, wait ? await followed(service, context, queued) : queued, wait);
    });
}

async function followed(service: Service, context: Context, { id }: Deploy): Promise<Deploy> {
  for await (const line of service.deploys.logs(id)) context.note(logLineText(context.notePaint, line));
  return service.deploys.waitUntilReady(id);
}

/** Prints only the address to standard output, so that a script can use it. */
function reportEnd(context: Context, deploy: Deploy, waited: boolean): void {
  const { state, url, aliases, error, type, live } = deploy;
  if (error !== undefined) context.note(`${context.notePaint.red(error.code)}: ${error.message}`);
  if (state === 'ready' && type === 'production' && !live)
    context.note('Production is pinned by a rollback and has not changed. Run "service promote" to move it.');
  context.print(deploy, state === 'ready' || !waited ? (aliases[0] ?? url) : state);
  if (waited && state !== 'ready') process.exitCode = EXIT.otherError;
}

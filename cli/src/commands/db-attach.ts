import type { DatabaseAttachment, DatabaseAttachmentChange } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { DATABASE, databaseOf } from '../database/databases.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

const TARGETS: readonly DatabaseAttachment['targets'][number][] = ['production', 'preview'];
const PREVIEWS: readonly DatabaseAttachment['previews'][] = ['same', 'branch', 'none'];

interface AttachOptions extends ProjectOption {
  readonly prefix?: string;
  readonly target?: DatabaseAttachment['targets'];
  readonly previews?: DatabaseAttachment['previews'];
  readonly access?: DatabaseAttachment['access'];
}

/** Adds the commands that connect the apps of a project to a database. */
export function addDbAttach(db: Command): void {
  withProject(db.command('attach'))
    .argument(...DATABASE)
    .description('give the apps and builds of a project a connection in DATABASE_URL, without a password')
    .option('--prefix <prefix>', 'the variable is <prefix>_URL')
    .addOption(new Option('--target <target...>', 'the deploys that get it').choices(TARGETS))
    .addOption(new Option('--previews <which>', 'what previews get').choices(PREVIEWS))
    .addOption(new Option('--access <access>', 'what they may do').choices(['owner', 'reader']))
    .action(async (named: string, options: AttachOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const project = await service.projects.get(await projectOf(options));
      const { id } = await databaseOf(service, named);
      const attachment = await service.databases.attachments.set(id, project.id, changeOf(options));
      context.note('The next deploy has it.');
      context.print(
        attachment,
        `${project.slug} gets ${attachment.prefix}_URL in ${attachment.targets.join(' and ')}.`,
      );
    });
  withProject(db.command('detach'))
    .argument(...DATABASE)
    .description('take the connection from a project')
    .action(async (named: string, options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const project = await service.projects.get(await projectOf(options));
      const { id } = await databaseOf(service, named);
      await service.databases.attachments.delete(id, project.id);
      context.print({ id, project_id: project.id, detached: true }, `${project.slug} is detached.`);
    });
  addList(db);
}

function changeOf({ prefix, target, previews, access }: AttachOptions): DatabaseAttachmentChange {
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(target === undefined ? {} : { targets: target }),
    ...(previews === undefined ? {} : { previews }),
    ...(access === undefined ? {} : { access }),
  };
}

function addList(db: Command): void {
  db.command('attachments')
    .argument(...DATABASE)
    .description('list the projects that a database is attached to')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await databaseOf(service, named);
      const all: DatabaseAttachment[] = [];
      for await (const each of service.databases.attachments.list(id)) all.push(each);
      const rows = all.map((each) => [
        each.project_id,
        `${each.prefix}_URL`,
        each.targets.join(', '),
        each.previews,
        each.access,
      ]);
      context.print(all, tableOf(['PROJECT', 'VARIABLE', 'TARGETS', 'PREVIEWS', 'ACCESS'], rows));
    });
}

import type { BucketAttachment } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';
import { BUCKET, bucketOf } from '../storage/buckets.js';

const TARGETS: readonly BucketAttachment['targets'][number][] = ['production', 'preview'];

interface AttachOptions extends ProjectOption {
  readonly prefix?: string;
  readonly target?: BucketAttachment['targets'];
  readonly access?: BucketAttachment['access'];
}

/** Adds the commands that give the apps of a project a bucket. */
export function addStorageAttach(storage: Command): void {
  withProject(storage.command('attach'))
    .argument(...BUCKET)
    .description('give the apps of a project a key pair of a bucket in STORAGE_ACCESS_KEY_ID and other variables')
    .option('--prefix <prefix>', 'the variables begin with it')
    .addOption(new Option('--target <target...>', 'the deploys that get it').choices(TARGETS))
    .addOption(new Option('--access <access>', 'what they may do').choices(['read', 'write']))
    .action(async (named: string, { prefix, target, access, ...options }: AttachOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const project = await service.projects.get(await projectOf(options));
      const { id } = await bucketOf(service, named);
      const attachment = await service.storage.attachments.set(id, project.id, {
        ...(prefix === undefined ? {} : { prefix }),
        ...(target === undefined ? {} : { targets: target }),
        ...(access === undefined ? {} : { access }),
      });
      context.note('The next deploy has it.');
      context.print(
        attachment,
        `${project.slug} gets ${attachment.prefix}_BUCKET in ${attachment.targets.join(' and ')}.`,
      );
    });
  withProject(storage.command('detach'))
    .argument(...BUCKET)
    .description('take a bucket from a project; its key pair stops working at once')
    .action(async (named: string, options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const project = await service.projects.get(await projectOf(options));
      const { id } = await bucketOf(service, named);
      await service.storage.attachments.delete(id, project.id);
      context.print({ id, project_id: project.id, detached: true }, `${project.slug} is detached.`);
    });
  storage
    .command('attachments')
    .argument(...BUCKET)
    .description('list the projects that a bucket is attached to')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await bucketOf(service, named);
      const all: BucketAttachment[] = [];
      for await (const each of service.storage.attachments.list(id)) all.push(each);
      const rows = all.map((each) => [each.project_id, each.prefix, each.targets.join(', '), each.access]);
      context.print(all, tableOf(['PROJECT', 'PREFIX', 'TARGETS', 'ACCESS'], rows));
    });
}

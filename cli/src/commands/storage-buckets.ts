import type { Bucket, BucketChange } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';
import { wholeNumber } from '../numbers.js';
import { sizeText } from '../sizes.js';
import { BUCKET, bucketOf } from '../storage/buckets.js';
import { printable } from '../terminal.js';

/** Adds the commands for buckets, and for what they use. */
export function addStorageBuckets(storage: Command): void {
  const buckets = storage.command('buckets').description('manage buckets');
  buckets
    .command('list')
    .description('list buckets with their sizes')
    .action(async (_options: object, command: Command) => {
      await listBuckets(await Context.of(command));
    });
  addCreate(buckets);
  addShow(buckets);
  addUpdate(buckets);
  addDelete(buckets);
  addUsage(storage);
}

export async function listBuckets(context: Context): Promise<void> {
  const all: Bucket[] = [];
  for await (const bucket of (await context.service()).storage.buckets.list({ limit: 100 })) all.push(bucket);
  context.print(all, tableOf(['NAME', 'VISIBILITY', 'OBJECTS', 'SIZE', 'S3 NAME', 'ID'], all.map(rowOf)));
}

const rowOf = ({ name, visibility, object_count: count, size_bytes: size, label, id }: Bucket): string[] => [
  printable(name),
  visibility,
  String(count),
  sizeText(size),
  label,
  id,
];

interface ChangeOptions {
  readonly public?: boolean;
  readonly expireAfterDays?: number;
}

const withChanges = (command: Command): Command =>
  command
    .option('--public', 'anybody can read its objects')
    .option('--expire-after-days <days>', 'delete objects this many days after they were written', wholeNumber);

const changeOf = ({ public: isPublic, expireAfterDays }: ChangeOptions): BucketChange => ({
  ...(isPublic === undefined ? {} : { visibility: isPublic ? ('public' as const) : ('private' as const) }),
  ...(expireAfterDays === undefined ? {} : { expire_after_days: expireAfterDays === 0 ? null : expireAfterDays }),
});

interface CreateOptions extends ChangeOptions {
  readonly project?: string;
}

function addCreate(buckets: Command): void {
  withChanges(buckets.command('create'))
    .argument('<name>', 'name of the bucket')
    .description('create a bucket, and print its S3 name')
    .option('--project <id-or-slug>', 'the project that it belongs to')
    .action(async (name: string, { project, ...options }: CreateOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const owner = project === undefined ? {} : { project_id: (await service.projects.get(project)).id };
      const bucket = await service.storage.buckets.create({ name, ...changeOf(options), ...owner });
      context.note(`${bucket.id}, ${bucket.visibility}`);
      context.print(bucket, bucket.label);
    });
}

function addShow(buckets: Command): void {
  buckets
    .command('show')
    .argument(...BUCKET)
    .description('print a bucket, and how S3 clients reach it')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const bucket = await bucketOf(await context.service(), named);
      const rows: [string, string | null][] = [
        ['ID', bucket.id],
        ['Name', printable(bucket.name)],
        ['Visibility', bucket.visibility],
        ['Objects', `${bucket.object_count}, ${sizeText(bucket.size_bytes)}`],
        ['Expire', bucket.expire_after_days === null ? null : `after ${bucket.expire_after_days} days`],
        ['Project', bucket.project_id],
        ['Endpoint', bucket.s3.endpoint],
        ['S3 name', bucket.s3.bucket],
        ['Region', bucket.s3.region],
        ['Public URL', bucket.public_url],
        ['Created', bucket.created_at],
      ];
      const shown = rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(12)}${value}`]));
      context.print(bucket, shown.join('\n'));
    });
}

interface UpdateOptions extends ChangeOptions {
  readonly name?: string;
  readonly yes?: true;
}

function addUpdate(buckets: Command): void {
  withChanges(buckets.command('update'))
    .argument(...BUCKET)
    .description('change a bucket; 0 days keep objects for ever')
    .option('--no-public', 'nobody can read its objects without a key or a signed URL')
    .option('--name <name>', 'another name; the S3 name stays')
    .option('--yes', 'do not ask before it becomes public')
    .action(async (named: string, { name, yes, ...options }: UpdateOptions, command: Command) => {
      const change = { ...changeOf(options), ...(name === undefined ? {} : { name }) };
      if (Object.keys(change).length === 0) throw new UsageError('Nothing was to be changed. See --help.');
      const context = await Context.of(command);
      const service = await context.service();
      const bucket = await bucketOf(service, named);
      if (change.visibility === 'public' && bucket.visibility === 'private')
        await context.confirm(
          `Anybody will be able to read the ${bucket.object_count} objects of ${printable(bucket.name)}. Go on?`,
          yes === undefined ? {} : { yes },
        );
      const changed = await service.storage.buckets.update(bucket.id, change);
      context.print(changed, `${printable(changed.name)} is ${changed.visibility}.`);
    });
}

function addDelete(buckets: Command): void {
  buckets
    .command('delete')
    .argument(...BUCKET)
    .description('delete a bucket, which has to be empty')
    .option('--yes', 'do not ask')
    .action(async (named: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id, name } = await bucketOf(service, named);
      await context.confirm(`Delete ${printable(name)} (${id}) for good?`, options);
      await service.storage.buckets.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}

function addUsage(storage: Command): void {
  storage
    .command('usage')
    .description('print what is stored, and the limits')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const usage = await (await context.service()).storage.usage();
      const { size_bytes: size, reserved_bytes: reserved, quota_bytes: quota, buckets, buckets_limit: limit } = usage;
      const uploads = reserved > 0 ? `, and ${sizeText(reserved)} of uploads in progress` : '';
      context.print(usage, `${sizeText(size)} of ${sizeText(quota)}${uploads}\n${buckets} of ${limit} buckets`);
    });
}

import type { StorageAccessKey } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { bucketOf } from '../storage/buckets.js';
import { printable } from '../terminal.js';

const DAY_MS = 86_400_000;

/** Adds the commands for key pairs of S3 clients. */
export function addStorageKeys(storage: Command): void {
  const keys = storage.command('keys').description('manage key pairs for S3 clients');
  addList(keys);
  addCreate(keys);
  addRemove(keys);
}

function addList(keys: Command): void {
  keys
    .command('list')
    .description('list key pairs, without secrets')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: StorageAccessKey[] = [];
      for await (const key of (await context.service()).storage.accessKeys.list({ limit: 100 })) all.push(key);
      const rows = all.map(({ id, name, access, bucket_ids: buckets, last_used_at: used, expires_at: end }) => [
        id,
        printable(name),
        access,
        buckets === null ? 'all' : buckets.join(', '),
        used ?? 'never',
        end ?? '',
      ]);
      context.print(all, tableOf(['ID', 'NAME', 'ACCESS', 'BUCKETS', 'LAST USED', 'EXPIRES'], rows));
    });
}

interface CreateOptions {
  readonly access: 'read' | 'write';
  readonly bucket?: readonly string[];
  readonly expiresInDays?: number;
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .argument('<name>', 'what it is for')
    .description('create a key pair, and print only its two variables; the secret is shown once')
    .addOption(new Option('--access <access>', 'what it may do').choices(['read', 'write']).default('write'))
    .option('--bucket <bucket...>', 'the buckets that it may use (default: all)')
    .option('--expires-in-days <days>', 'days until it expires', wholeNumber)
    .action(async (name: string, { access, bucket, expiresInDays }: CreateOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const buckets = await Promise.all((bucket ?? []).map((each) => bucketOf(service, each)));
      const key = await service.storage.accessKeys.create({
        name,
        access,
        ...(bucket === undefined ? {} : { bucket_ids: buckets.map(({ id }) => id) }),
        ...(expiresInDays === undefined
          ? {}
          : { expires_at: new Date(Date.now() + expiresInDays * DAY_MS).toISOString() }),
      });
      context.note(`${printable(key.name)} (${key.access}). Its secret is shown once:`);
      context.print(key, `AWS_ACCESS_KEY_ID=${key.id}\nAWS_SECRET_ACCESS_KEY=${key.secret}`);
    });
}

function addRemove(keys: Command): void {
  keys
    .command('rm')
    .argument('<key-id>', 'id of the key pair')
    .description('delete a key pair, which stops working at once')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await (await context.service()).storage.accessKeys.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}

import type { StoredObject } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';
import { wholeNumber } from '../numbers.js';
import { sizeText } from '../sizes.js';
import { bucketOf, remoteOf, requireRemote } from '../storage/buckets.js';
import { objectsOf, pagesOf } from '../storage/listing.js';
import { inParallel } from '../storage/pool.js';
import { printable } from '../terminal.js';
import { listBuckets } from './storage-buckets.js';

const AT_ONCE = 8;

/** Adds the commands that list, delete and sign objects. */
export function addStorageObjects(storage: Command): void {
  addLs(storage);
  addRm(storage);
  addSign(storage);
}

function addLs(storage: Command): void {
  storage
    .command('ls')
    .argument('[place]', 'bucket, or bucket:prefix (default: list the buckets)')
    .description('list folders and objects')
    .option('-r, --recursive', 'list all objects below it')
    .option('--limit <number>', 'how many to list (default: 1000)', wholeNumber, 1_000)
    .action(
      async (
        place: string | undefined,
        { recursive, limit }: { recursive?: true; limit: number },
        command: Command,
      ) => {
        const context = await Context.of(command);
        if (place === undefined) {
          await listBuckets(context);
          return;
        }
        const service = await context.service();
        const { bucket, key } = remoteOf(place) ?? { bucket: place, key: '' };
        const { id } = await bucketOf(service, bucket);
        const objects: StoredObject[] = [];
        const prefixes: string[] = [];
        const query = recursive === true ? { prefix: key } : { prefix: key, delimiter: '/' };
        for await (const page of pagesOf(service, id, query)) {
          objects.push(...page.objects);
          prefixes.push(...page.prefixes);
          if (objects.length + prefixes.length >= limit) break;
        }
        const shown = objects.slice(0, Math.max(limit - prefixes.length, 0));
        const rows = [
          ...prefixes.slice(0, limit).map((prefix) => [printable(prefix), 'folder', '', '']),
          ...shown.map((each) => [
            printable(each.key),
            sizeText(each.size_bytes),
            printable(each.content_type),
            each.updated_at,
          ]),
        ];
        context.print(
          { objects: shown, prefixes: prefixes.slice(0, limit) },
          tableOf(['KEY', 'SIZE', 'TYPE', 'UPDATED'], rows),
        );
      },
    );
}

interface RemoveOptions {
  readonly recursive?: true;
  readonly yes?: true;
}

function addRm(storage: Command): void {
  storage
    .command('rm')
    .argument('<place>', 'bucket:key, or with -r bucket:prefix')
    .description('delete an object, or all with a prefix')
    .option('-r, --recursive', 'delete all objects whose keys begin with it')
    .option('--yes', 'do not ask')
    .action(async (place: string, { recursive, ...options }: RemoveOptions, command: Command) => {
      const { bucket, key } = requireRemote(place);
      if (key === '' && recursive !== true) throw new UsageError('The key is missing. Pass -r for the whole bucket.');
      const context = await Context.of(command);
      const service = await context.service();
      const { id, name } = await bucketOf(service, bucket);
      if (recursive !== true) {
        await service.storage.objects.delete(id, key);
        context.print({ deleted: 1 }, `${printable(key)} is deleted.`);
        return;
      }
      await context.confirm(`Delete all objects of ${printable(name)} that begin with "${printable(key)}"?`, options);
      let deleted = 0;
      const progress = context.progress();
      try {
        await inParallel(objectsOf(service, id, key), AT_ONCE, async (object) => {
          await service.storage.objects.delete(id, object.key);
          progress.show(`${++deleted} deleted`);
        });
      } finally {
        progress.clear();
      }
      context.print({ deleted }, `${deleted} ${deleted === 1 ? 'object is' : 'objects are'} deleted.`);
    });
}

interface SignOptions {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly expiresIn: number;
  readonly contentType?: string;
  readonly maxBytes?: number;
}

function addSign(storage: Command): void {
  storage
    .command('sign')
    .argument('<place>', 'bucket:key')
    .description('print a URL with which anybody can make this one kind of request until it expires')
    .addOption(
      new Option('--method <method>', 'what the URL allows').choices(['GET', 'HEAD', 'PUT', 'DELETE']).default('GET'),
    )
    .option('--expires-in <seconds>', 'seconds until it expires, at most 604800', wholeNumber, 3_600)
    .option('--content-type <type>', 'the type that an upload must have')
    .option('--max-bytes <bytes>', 'the most that an upload may have', wholeNumber)
    .action(async (place: string, { method, expiresIn, contentType, maxBytes }: SignOptions, command: Command) => {
      const { bucket, key } = requireRemote(place);
      const context = await Context.of(command);
      const service = await context.service();
      const signed = await service.storage.sign((await bucketOf(service, bucket)).id, {
        method,
        key,
        expires_in: expiresIn,
        ...(contentType === undefined ? {} : { content_type: contentType }),
        ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
      });
      const headers = Object.entries(signed.headers).filter(([name]) => name.toLowerCase() !== 'host');
      if (headers.length > 0)
        context.note(`Send these headers: ${headers.map(([name, value]) => `${name}: ${value}`).join(', ')}`);
      context.print(signed, signed.url);
    });
}

import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Service, StoredObject } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { EXIT, UsageError } from '../failures.js';
import { sizeText } from '../sizes.js';
import { bucketOf, type Remote, remoteOf } from '../storage/buckets.js';
import { downloadFile } from '../storage/download-file.js';
import { interruptible } from '../storage/interruption.js';
import { objectsOf } from '../storage/listing.js';
import { fileFor, filesBelow } from '../storage/local-files.js';
import { inParallel } from '../storage/pool.js';
import { uploadFile } from '../storage/upload-file.js';
import { UploadIds } from '../storage/upload-ids.js';
import { printable } from '../terminal.js';
import { Transfer } from '../storage/transfer.js';

const FILES_AT_ONCE = 4;
const INTERRUPTED =
  'Interrupted. Run the same command again to continue. Parts that have arrived count as stored for 7 days.';

interface CopyOptions {
  readonly recursive?: true;
  readonly contentType?: string;
}

/** Adds the command that copies files into and out of buckets. */
export function addStorageCp(storage: Command): void {
  storage
    .command('cp')
    .argument('<from>', 'a file or directory, or bucket:key')
    .argument('<to>', 'bucket:key, or a file or directory')
    .description('copy files into a bucket or out of it; an interrupted copy continues when you run it again')
    .option('-r, --recursive', 'copy a directory, or all keys with a prefix')
    .option('--content-type <type>', 'type of the object (default: from the name of the file)')
    .action(async (from: string, to: string, options: CopyOptions, command: Command) => {
      const [source, target] = [remoteOf(from), remoteOf(to)];
      if ((source === undefined) === (target === undefined))
        throw new UsageError('One of the two must be in a bucket, as bucket:key, and the other a path.');
      const context = await Context.of(command);
      const service = await context.service();
      const transfer = new Transfer(context);
      try {
        if (target !== undefined) await upload(context, service, { transfer, from, to: target, options });
        else await download(service, { transfer, from: source!, to, options });
      } finally {
        transfer.clear();
      }
      report(context, transfer);
    });
}

interface Upload {
  readonly transfer: Transfer;
  readonly from: string;
  readonly to: Remote;
  readonly options: CopyOptions;
}

async function upload(context: Context, service: Service, { transfer, from, to, options }: Upload): Promise<void> {
  const { recursive, contentType } = options;
  const isDirectory = (await statOf(from)).isDirectory();
  if (isDirectory && recursive !== true) throw new UsageError(`${from} is a directory. Pass -r to copy what is in it.`);
  const { id: bucketId } = await bucketOf(service, to.bucket);
  const ids = new UploadIds(context.fileOf('uploads.json'));
  const send = async ({ file, key }: { file: string; key: string }): Promise<void> => {
    const size = await uploadFile(service, ids, { file, bucketId, key, contentType }, (sent) => {
      transfer.moved(key, sent);
    });
    transfer.done(key, size);
  };
  const isFolder = to.key === '' || to.key.endsWith('/');
  const sendAll = (): Promise<void> => {
    if (!isDirectory) return send({ file: from, key: isFolder ? to.key + basename(from) : to.key });
    const files = filesBelow(from, isFolder ? to.key : `${to.key}/`, (path) => {
      transfer.skip(path, 'links and special files are not copied');
    });
    return inParallel(files, FILES_AT_ONCE, send);
  };
  await interruptible(sendAll, async () => {
    await ids.settled();
    transfer.clear();
    if (ids.hasUnfinished) context.note(INTERRUPTED);
  });
}

interface Download {
  readonly transfer: Transfer;
  readonly from: Remote;
  readonly to: string;
  readonly options: CopyOptions;
}

async function download(service: Service, { transfer, from, to, options }: Download): Promise<void> {
  const { id: bucketId } = await bucketOf(service, from.bucket);
  const isDirectory = to.endsWith('/') || ((await stat(to).catch(() => undefined))?.isDirectory() ?? false);
  const receive = async (object: StoredObject, file: string): Promise<void> => {
    await downloadFile(service, { file, bucketId, object }, (bytes) => {
      transfer.moved(object.key, bytes);
    });
    transfer.done(object.key, object.size_bytes);
  };
  if (options.recursive !== true) {
    const name = from.key.slice(from.key.lastIndexOf('/') + 1);
    if (name === '') throw new UsageError(`"${from.key}" is a folder. Pass -r to copy what is in it.`);
    if (isDirectory && fileFor(to, name) === undefined)
      throw new UsageError(`"${printable(name)}" cannot be the name of a file. Name the file to write.`);
    await receive(await objectOf(service, bucketId, from.key), isDirectory ? join(to, name) : to);
    return;
  }
  // A prefix need not end with a slash, but a folder is what people mean.
  const prefix = from.key === '' || from.key.endsWith('/') ? from.key : `${from.key}/`;
  await inParallel(objectsOf(service, bucketId, prefix), FILES_AT_ONCE, async (object) => {
    const file = fileFor(to, object.key.slice(prefix.length));
    if (file === undefined) transfer.skip(object.key, 'the key cannot be a path here');
    else await receive(object, file);
  });
}

/** The headers of an object, as a list has them. */
async function objectOf({ storage }: Service, bucketId: string, key: string): Promise<StoredObject> {
  const headers = await storage.objects.head(bucketId, key);
  return {
    key,
    size_bytes: Number(headers.get('content-length') ?? 0),
    etag: headers.get('etag') ?? '',
    content_type: headers.get('content-type') ?? '',
    metadata: {},
    updated_at: headers.get('last-modified') ?? '',
    url: null,
  };
}

async function statOf(path: string): ReturnType<typeof stat> {
  try {
    return await stat(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}.`);
  }
}

function report(context: Context, { files, bytes, skipped }: Transfer): void {
  for (const { path, reason } of skipped) context.note(`Left out: ${printable(path)} (${reason}).`);
  const count = `${files} ${files === 1 ? 'file' : 'files'}`;
  context.print({ files, size_bytes: bytes, skipped }, `${count} copied (${sizeText(bytes)}).`);
  if (skipped.length > 0) process.exitCode = EXIT.otherError;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service, UploadContent, UploadedFile } from '@service/client';
import type { Context } from '../context.js';
import { sourceFilesOf } from './source-files.js';

/** A request holds at most this much, or one larger file. */
const BATCH_BYTES = 8 * 1_048_576;
const BATCH_FILES = 1_000;
/** A request may take as long as a slow line needs. */
const TIMEOUT_MS = 30 * 60_000;
const SHOWN = 5;

/** Uploads what is new in a directory, and returns the id of the upload. */
export async function upload(
  context: Context,
  { projects }: Service,
  { project, directory }: { project: string; directory: string },
): Promise<string> {
  const progress = context.progress();
  try {
    const { files, skipped } = await sourceFilesOf(directory, (count) => {
      if (count % 100 === 0) progress.show(`Reading ${count} files`);
    });
    const { id, missing, bytes } = await projects.createUpload(project, files);
    const wanted = new Set(missing);
    const fresh = [...new Map(files.map((file) => [file.sha256, file])).values()].filter(({ sha256 }) =>
      wanted.has(sha256),
    );
    const total = sizeOf(fresh);
    let sent = 0;
    for (const batch of batchesOf(fresh)) {
      progress.show(`Uploading ${inMegabytes(sent)} of ${inMegabytes(total)}`);
      const contents = await Promise.all(batch.map((file) => contentOf(directory, file)));
      await projects.sendContents(project, id, contents, { timeoutMs: TIMEOUT_MS });
      sent += sizeOf(batch);
    }
    progress.clear();
    context.note(`${files.length} files (${inMegabytes(bytes)}), ${fresh.length} of them new (${inMegabytes(total)})`);
    if (skipped.length > 0) context.note(`Links and special files are not uploaded: ${listed(skipped)}.`);
    return id;
  } finally {
    progress.clear();
  }
}

/** The service checks the hash, so that a file that changed meanwhile is refused. */
async function contentOf(directory: string, { path, sha256 }: UploadedFile): Promise<UploadContent> {
  return { sha256, content: await readFile(join(directory, path)) };
}

function* batchesOf(files: readonly UploadedFile[]): Generator<UploadedFile[]> {
  let batch: UploadedFile[] = [];
  for (const file of files) {
    if (batch.length > 0 && (sizeOf(batch) + file.bytes > BATCH_BYTES || batch.length === BATCH_FILES)) {
      yield batch;
      batch = [];
    }
    batch.push(file);
  }
  if (batch.length > 0) yield batch;
}

const sizeOf = (files: readonly UploadedFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const listed = (paths: readonly string[]): string =>
  paths.slice(0, SHOWN).join(', ') + (paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '');

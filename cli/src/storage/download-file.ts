import { createHash } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type Service, ServiceError, type StoredObject } from '@service/client';
import { WholeFile } from './whole-file.js';

export interface FileDownload {
  readonly file: string;
  readonly bucketId: string;
  readonly object: Pick<StoredObject, 'key' | 'etag' | 'size_bytes'>;
}

/** Downloads an object to a file, which appears as a whole. It continues an earlier try that was interrupted. */
export async function downloadFile(
  { storage }: Service,
  { file, bucketId, object }: FileDownload,
  onProgress: (bytes: number) => void,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // The part of another version has another name.
  const version = createHash('sha256').update(`${bucketId}\0${object.key}\0${object.etag}`).digest('hex').slice(0, 12);
  const partial = `${file}.${version}.part`;
  const there = (await stat(partial).catch(() => undefined))?.size ?? 0;
  const begun = there > 0 && there < object.size_bytes;
  if (there > 0 && !begun) await rm(partial);
  const range = begun ? `bytes=${there}-` : undefined;
  const response = await storage.objects.get(bucketId, object.key, { range });
  const isSame = response.headers.get('etag') === null || sameTag(response.headers.get('etag')!, object.etag);
  if (begun && (response.status !== 206 || !isSame)) await rm(partial);
  if (begun && response.status === 206 && !isSame) throw changed(object.key);
  const target = new WholeFile(file, partial);
  const bytes = await target.write(Readable.fromWeb(response.body as ReadableStream), onProgress);
  if (isSame && bytes !== object.size_bytes) throw new TypeError('terminated');
  await target.keep();
}

const sameTag = (one: string, other: string): boolean => one.replaceAll('"', '') === other.replaceAll('"', '');

const changed = (key: string): ServiceError =>
  new ServiceError({
    status: 412,
    type: 'api_error',
    code: 'object_changed',
    message: `${key} changed during its download. Run the command again.`,
    upgradeUrl: '',
  });

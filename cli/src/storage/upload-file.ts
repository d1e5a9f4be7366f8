import { open } from 'node:fs/promises';
import { NotFoundError, type Service } from '@service/client';
import { contentTypeOf } from './content-types.js';
import { UploadIds } from './upload-ids.js';

export interface FileUpload {
  readonly file: string;
  readonly bucketId: string;
  readonly key: string;
  readonly contentType?: string | undefined;
}

/** Uploads a file. If an earlier try was interrupted, parts that have arrived are not sent again. */
export async function uploadFile(
  service: Service,
  ids: UploadIds,
  { file, bucketId, key, contentType = contentTypeOf(file) }: FileUpload,
  onProgress: (sentBytes: number) => void,
): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const { size, mtimeMs } = await handle.stat();
    const identity = UploadIds.keyOf(bucketId, key, file, size, mtimeMs, contentType);
    const source = {
      size,
      async slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
        const bytes = new Uint8Array(end - start);
        for (let at = 0; at < bytes.length;) {
          const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
          if (bytesRead === 0) throw new Error(`${file} became shorter during its upload. Run the command again.`);
          at += bytesRead;
        }
        return bytes;
      },
    };
    let kept: string | undefined;
    const send = async (resume: string | undefined): Promise<void> => {
      await service.storage.objects.put(bucketId, key, source, {
        contentType,
        resume,
        onProgress({ uploadId, sentBytes }) {
          onProgress(sentBytes);
          if (uploadId === kept) return;
          kept = uploadId;
          keeping = ids.set(identity, uploadId);
        },
      });
    };
    let keeping: Promise<void> | undefined;
    const earlier = await ids.find(identity);
    await send(earlier).catch((error: unknown) => {
      // The service gives up what is not continued for a week.
      if (earlier === undefined || !(error instanceof NotFoundError)) throw error;
      return send(undefined);
    });
    await keeping;
    if (kept !== undefined) await ids.set(identity, undefined);
    return size;
  } finally {
    await handle.close();
  }
}

import { ServiceError } from './errors.js';
import type { SignedUrl, StoredObject } from './storage-types.js';
import { PAUSE_MS, sleep } from './sleep.js';
import type { RequestOptions, Transport } from './transport.js';

/** What can be uploaded: a `Blob` or `File`, or anything else of a known size that can be read in parts. */
export interface UploadSource {
  readonly size: number;
  readonly type?: string;
  slice(start: number, end: number): Blob | Promise<Uint8Array<ArrayBuffer>>;
}

export interface UploadProgress {
  /** Keep it, and pass it as `resume` if the upload breaks. There is none when one request is enough. */
  readonly uploadId?: string;
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface UploadOptions extends RequestOptions {
  /** The type of the blob by default, or else `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** The id of an upload of the same content, which continues. Parts that have arrived are not sent again. */
  readonly resume?: string | undefined;
  /** Called when an upload begins, and whenever a part has arrived. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

interface Upload {
  readonly upload_id: string;
  readonly part_bytes: number;
}

interface BegunUpload extends Upload {
  readonly size_bytes: number;
  /** Numbers of the parts that have arrived. */
  readonly uploaded: readonly number[];
}

/** More bytes than this are sent in parts. */
const ONE_REQUEST_BYTES = 64 * 1_048_576;
const PARTS_AT_ONCE = 4;
const ATTEMPTS = 4;
/** A request may take as long as a slow line needs. */
const TIMEOUT_MS = 1_800_000;

/** Sends an object in one request or in parts, according to its size. */
export async function sendObject(
  transport: Transport,
  bucketPath: string,
  { key, source }: { readonly key: string; readonly source: UploadSource },
  { contentType, resume, onProgress, ...given }: UploadOptions,
): Promise<StoredObject> {
  const { size: totalBytes } = source;
  const type = contentType || source.type || 'application/octet-stream';
  const { idempotencyKey, ...others } = given;
  const options = { timeoutMs: TIMEOUT_MS, ...others };
  let sentBytes = 0;
  if (resume === undefined && totalBytes <= ONE_REQUEST_BYTES) {
    const body = await source.slice(0, totalBytes);
    onProgress?.({ sentBytes, totalBytes });
    const headers = { 'content-type': type };
    // It can be repeated without a key: the object is the same afterwards.
    const { data } = await transport.send<StoredObject, unknown>(
      { method: 'PUT', path: `${bucketPath}/objects/${encodeURIComponent(key)}`, body, headers, isStream: true },
      { ...options, idempotencyKey },
    );
    onProgress?.({ sentBytes: totalBytes, totalBytes });
    return data;
  }

  const uploads = `${bucketPath}/uploads`;
  let begun: Upload;
  let arrived = new Set<number>();
  if (resume === undefined) {
    begun = await transport.post<Upload>(uploads, { key, size_bytes: totalBytes, content_type: type }, options);
  } else {
    const found = await transport.get<BegunUpload>(`${uploads}/${encodeURIComponent(resume)}`, options);
    if (found.size_bytes !== totalBytes) throw new TypeError('resume is an upload of other content.');
    arrived = new Set(found.uploaded);
    begun = found;
  }
  const { upload_id: uploadId, part_bytes: partBytes } = begun;
  const upload = `${uploads}/${encodeURIComponent(uploadId)}`;
  const bytesOf = (number: number): number => Math.min(partBytes, totalBytes - (number - 1) * partBytes);
  const report = (bytes: number): void => {
    sentBytes += bytes;
    onProgress?.({ uploadId, sentBytes, totalBytes });
  };
  const missing: number[] = [];
  for (let number = 1; (number - 1) * partBytes < totalBytes; number++) {
    if (arrived.has(number)) sentBytes += bytesOf(number);
    else missing.push(number);
  }
  report(0);

  const send = async (): Promise<void> => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
      const start = (number - 1) * partBytes;
      const body = await source.slice(start, start + bytesOf(number));
      for (let attempt = 1; ; attempt++) {
        try {
          // A URL is signed just before it is used, because an upload may take longer than it is valid.
          const links = await transport.post<readonly SignedUrl[]>(`${upload}/parts`, { numbers: [number] }, options);
          await transport.putSigned(links[0]!, body, options);
          break;
        } catch (error) {
          // A part that arrives twice is the same, so that broken connections are tried again too.
          if (error instanceof ServiceError || options.signal?.aborted === true || attempt === ATTEMPTS) {
            missing.length = 0;
            throw error;
          }
          await sleep(PAUSE_MS * attempt, options.signal);
        }
      }
      report(bytesOf(number));
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, send));
  return transport.post(`${upload}/complete`, undefined, options);
}

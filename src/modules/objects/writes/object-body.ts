import { createHash } from 'node:crypto';
import { RequestTimeout } from '../../../platform/http/http.errors.js';
import { beginDigest } from '../checksums/digests.js';
import { ChecksumMismatch, IncompleteBody } from '../objects.errors.js';
import type { ChecksumAlgorithm, StoredChecksum } from '../persistence/bucket-rows.js';

/** A body that is slower than this is ended. */
const MIN_BYTES_OF_INTERVAL = 65_536;
const INTERVAL_MS = 30_000;

export interface ObjectBody {
  /** The announced length. */
  readonly size: number;
  /** It is read once. */
  readonly bytes: AsyncIterable<Buffer>;
  /** The announced MD5 in hexadecimal. */
  readonly md5?: string | undefined;
  readonly checksum?: BodyChecksum | undefined;
  readonly signed?: SignedHash | undefined;
}

/** The SHA-256 that the signature of a request covers, in hexadecimal. */
interface SignedHash {
  readonly sha256: string;
  /** Returns what a body with another hash is refused with. */
  fault(): Error;
}

export interface BodyChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Returns what was announced, in base64. It is called at the end, because it may follow the body. */
  announced(): string | undefined;
}

/** What a whole body came to. */
export interface MeasuredBody {
  readonly md5: string;
  readonly checksum: StoredChecksum | null;
}

/**
 * Passes a body on while it is measured. It fails before its end when the body is longer or shorter than announced, too
 * slow, or does not match its checksums, so that what is read from it is never taken for whole.
 */
export class MeasuringBody {
  private result: MeasuredBody | undefined;

  constructor(private readonly body: ObjectBody) {}

  /** @throws {Error} before the end. */
  get measured(): MeasuredBody {
    if (this.result === undefined) throw new Error('The body has not been read.');
    return this.result;
  }

  /**
   * @throws {IncompleteBody} `incomplete_body`
   * @throws {ChecksumMismatch} `checksum_mismatch`
   * @throws {RequestTimeout} `request_timeout`
   */
  async *read(): AsyncGenerator<Buffer> {
    const { size, md5: announced, checksum, signed } = this.body;
    const md5 = createHash('md5');
    const sha256 = signed === undefined ? undefined : createHash('sha256');
    // What the signature covers need not be computed again for the checksum.
    const isSame = sha256 !== undefined && checksum?.algorithm === 'SHA256';
    const digest = checksum === undefined || isSame ? undefined : beginDigest(checksum.algorithm);
    let count = 0;
    for await (const bytes of paced(this.body.bytes)) {
      count += bytes.length;
      if (count > size) throw new IncompleteBody();
      md5.update(bytes);
      sha256?.update(bytes);
      digest?.update(bytes);
      yield bytes;
    }
    const hash = sha256?.digest();
    if (signed !== undefined && hash?.toString('hex') !== signed.sha256) throw signed.fault();
    if (count < size) throw new IncompleteBody();
    const found = md5.digest('hex');
    if (announced !== undefined && announced !== found) throw new ChecksumMismatch('Content-MD5');
    this.result = { md5: found, checksum: checksumOf(checksum, isSame ? hash : digest?.digest()) };
  }
}

function checksumOf(checksum: BodyChecksum | undefined, digest: Buffer | undefined): StoredChecksum | null {
  if (checksum === undefined || digest === undefined) return null;
  const { algorithm } = checksum;
  const value = digest.toString('base64');
  const announced = checksum.announced();
  if (announced !== undefined && announced !== value) throw new ChecksumMismatch(algorithm);
  return { algorithm, value, type: 'FULL_OBJECT' };
}

/** Fails when too few bytes arrive in an interval. Time that the reader takes does not count. */
async function* paced(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  let waitedMs = 0;
  let count = 0;
  try {
    for (;;) {
      const begun = performance.now();
      const next = await within(source.next(), Math.max(0, INTERVAL_MS - waitedMs));
      if (next.done === true) return;
      waitedMs += performance.now() - begun;
      count += next.value.length;
      if (count >= MIN_BYTES_OF_INTERVAL) [waitedMs, count] = [0, 0];
      yield next.value;
    }
  } finally {
    // A source that waits for more bytes would end only with them.
    source.return?.().catch(() => undefined);
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new RequestTimeout());
    }, ms).unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

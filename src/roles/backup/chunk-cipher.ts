import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

const ALGORITHM = 'aes-256-gcm';
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const MAX_CHUNKS = 2 ** 32;

/** Derives the key of one file. The salt is new each time a file is written, and so is the key. */
export type KeyOf = (salt: Buffer) => Buffer;

/** The data was not encrypted with this key, or was changed. */
export class DecryptionFailed extends Error {
  constructor(options?: ErrorOptions) {
    super('The encrypted data was changed or truncated.', options);
  }
}

/**
 * Splits a stream into chunks of one size. A full chunk waits for the next byte, because the last chunk is marked.
 */
abstract class Chunks extends Transform {
  private readonly held: Buffer;
  private heldBytes = 0;
  private count = 0;

  protected constructor(bytes: number) {
    super();
    this.held = Buffer.allocUnsafe(bytes);
  }

  override _transform(data: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.attempt(done, () => {
      this.accept(data);
    });
  }

  override _flush(done: TransformCallback): void {
    this.attempt(done, () => {
      this.handOn(true);
    });
  }

  protected accept(data: Buffer): void {
    for (let at = 0; at < data.length;) {
      if (this.heldBytes === this.held.length) this.handOn(false);
      const copied = data.copy(this.held, this.heldBytes, at);
      this.heldBytes += copied;
      at += copied;
    }
  }

  /** The buffer of `chunk` is reused afterwards. */
  protected abstract convert(chunk: Buffer, nonce: Buffer): Buffer;

  private handOn(isLast: boolean): void {
    if (this.count === MAX_CHUNKS) throw new Error('The file is too large to be encrypted with one key.');
    this.push(this.convert(this.held.subarray(0, this.heldBytes), nonceOf(this.count++, isLast)));
    this.heldBytes = 0;
  }

  /** An error that a transform throws would end the process. */
  private attempt(done: TransformCallback, work: () => void): void {
    try {
      work();
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }
}

/**
 * Writes a random salt, and then chunks of AES-256-GCM, each followed by its tag. The nonce contains the number of the
 * chunk and a flag for the last one (the STREAM construction), so chunks cannot be reordered or left out.
 */
export class EncryptChunks extends Chunks {
  private readonly key: Buffer;

  constructor(keyOf: KeyOf, chunkBytes = CHUNK_BYTES) {
    super(chunkBytes);
    const salt = randomBytes(SALT_BYTES);
    this.key = keyOf(salt);
    this.push(salt);
  }

  protected override convert(chunk: Buffer, nonce: Buffer): Buffer {
    const cipher = createCipheriv(ALGORITHM, this.key, nonce);
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Passes on only authenticated data. Fails with {@link DecryptionFailed}. */
export class DecryptChunks extends Chunks {
  private readonly salt = Buffer.alloc(SALT_BYTES);
  private saltBytes = 0;
  private key: Buffer | undefined;

  constructor(
    private readonly keyOf: KeyOf,
    chunkBytes = CHUNK_BYTES,
  ) {
    super(chunkBytes + TAG_BYTES);
  }

  protected override accept(data: Buffer): void {
    const copied = data.copy(this.salt, this.saltBytes);
    this.saltBytes += copied;
    super.accept(data.subarray(copied));
  }

  protected override convert(chunk: Buffer, nonce: Buffer): Buffer {
    if (this.saltBytes < SALT_BYTES || chunk.length < TAG_BYTES) throw new DecryptionFailed();
    this.key ??= this.keyOf(this.salt);
    const end = chunk.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, this.key, nonce, { authTagLength: TAG_BYTES }).setAuthTag(
      chunk.subarray(end),
    );
    try {
      return Buffer.concat([decipher.update(chunk.subarray(0, end)), decipher.final()]);
    } catch (error) {
      throw new DecryptionFailed({ cause: error });
    }
  }
}

function nonceOf(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(count, NONCE_BYTES - 5);
  nonce.writeUInt8(isLast ? 1 : 0, NONCE_BYTES - 1);
  return nonce;
}

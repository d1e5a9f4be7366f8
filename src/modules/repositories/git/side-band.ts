import { Transform, type TransformCallback } from 'node:stream';

/** The size of a packet is in its first four hexadecimal digits. Sizes below 4 have no payload; 0 ends a sequence. */
const SIZE_DIGITS = 4;
const MAX_PACKET_BYTES = 65_520;
/** The first byte of a payload says what it is: 1 is the result, 2 a message for the user, 3 a fatal error. */
const BANDS = [1, 2, 3];
const MESSAGE_BAND = 2;
/** The smaller of the two sizes that clients ask for has room for 999 bytes. */
const MAX_LINE_BYTES = 900;

export const FLUSH = Buffer.from('0000');
/** An empty result, with which git itself keeps a connection open. */
export const KEEP_ALIVE = Buffer.from('0005\u0001');

/**
 * Passes the answer of `git receive-pack` on, but holds its end back, so that messages for the user can follow. An
 * answer without side bands passes unchanged.
 */
export class SideBand extends Transform {
  private buffered: Buffer = Buffer.alloc(0);
  private state: 'unknown' | 'packets' | 'other' = 'unknown';
  private held = false;

  /** True if the answer was complete, and its end was held back. Then {@link FLUSH} must follow. */
  get isOpen(): boolean {
    return this.held;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    // What was held back was not the end.
    this.buffered = Buffer.concat([...(this.held ? [FLUSH] : []), this.buffered, chunk]);
    this.sort();
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.buffered.length > 0) this.push(this.buffered);
    done();
  }

  private sort(): void {
    while (this.state !== 'other' && this.buffered.length >= SIZE_DIGITS + 1) {
      const size = sizeOf(this.buffered);
      // The end of the answer has nothing behind it, and stays in the buffer; anything else is none of ours.
      if (size === undefined || size <= SIZE_DIGITS || !this.isOfBand()) {
        this.state = 'other';
        break;
      }
      if (this.buffered.length < size) return;
      this.state = 'packets';
      this.push(this.buffered.subarray(0, size));
      this.buffered = this.buffered.subarray(size);
    }
    if (this.state === 'other') {
      this.push(this.buffered);
      this.buffered = Buffer.alloc(0);
    }
    this.held = this.state === 'packets' && this.buffered.equals(FLUSH);
    if (this.held) this.buffered = Buffer.alloc(0);
  }

  private isOfBand(): boolean {
    return BANDS.includes(this.buffered[SIZE_DIGITS]!);
  }
}

function sizeOf(bytes: Buffer): number | undefined {
  const digits = bytes.toString('latin1', 0, SIZE_DIGITS);
  const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
  return size === undefined || size > MAX_PACKET_BYTES ? undefined : size;
}

/** Returns a packet that shows a line to the user. Control characters, which a terminal might obey, are left out. */
export function messageOf(line: string): Buffer {
  const text = line.replace(/[\p{Cc}\p{Cs}]/gu, ' ');
  const payload = Buffer.from(`${cutTo(text, MAX_LINE_BYTES)}\n`);
  const size = (SIZE_DIGITS + 1 + payload.length).toString(16).padStart(SIZE_DIGITS, '0');
  return Buffer.concat([Buffer.from(size), Buffer.from([MESSAGE_BAND]), payload]);
}

/** Cuts at the end of a character. */
function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let end = bytes;
  const encoded = Buffer.from(text);
  while ((encoded[end]! & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}

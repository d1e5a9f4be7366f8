/** What the host and the agent inside of a session say to each other: a header in JSON, and bytes. */
export interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const LENGTHS_BYTES = 8;
/** An error with its stack, of 8,192 characters each. */
const MAX_HEADER_BYTES = 262_144;
/** A file, or a list of 1,000 names in JSON. */
const MAX_BODY_BYTES = 9 * 1024 * 1024;

/** The other side does not keep to the format. */
export class FrameFault extends Error {
  override readonly name = 'FrameFault';
}

/** Encodes a frame: the lengths of header and body, each in four bytes (big-endian), then both. */
export function frameOf(header: Frame['header'], body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32BE(head.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, head, body]);
}

/**
 * Reads frames from pieces of any size. The bytes are untrusted: a frame that is too large is refused as soon as its
 * lengths are known, so that no more than one frame and one piece is ever kept.
 */
export class FrameReader {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** How many bytes are needed before anything more can be said. */
  private needed = LENGTHS_BYTES;
  private isBroken = false;

  /** How many bytes wait for the rest of their frame. */
  get keptBytes(): number {
    return this.bytes;
  }

  /**
   * Returns the frames that the piece completes.
   * @throws {FrameFault} for what is no frame, and from then on.
   */
  push(piece: Buffer): Frame[] {
    if (this.isBroken) throw new FrameFault('The stream is broken.');
    this.pieces.push(piece);
    this.bytes += piece.length;
    try {
      return this.complete();
    } catch (error) {
      this.isBroken = true;
      this.pieces = [];
      this.bytes = 0;
      throw error;
    }
  }

  private complete(): Frame[] {
    const frames: Frame[] = [];
    while (this.bytes >= this.needed) {
      const whole = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
      const size = sizeOf(whole);
      if (this.bytes < size) {
        this.pieces = [whole];
        this.needed = size;
        break;
      }
      frames.push(frameIn(whole.subarray(0, size)));
      this.pieces = whole.length === size ? [] : [whole.subarray(size)];
      this.bytes -= size;
      this.needed = LENGTHS_BYTES;
    }
    return frames;
  }
}

function sizeOf(start: Buffer): number {
  const [header, body] = [start.readUInt32BE(0), start.readUInt32BE(4)];
  if (header > MAX_HEADER_BYTES || body > MAX_BODY_BYTES) throw new FrameFault('A frame is too large.');
  return LENGTHS_BYTES + header + body;
}

function frameIn(whole: Buffer): Frame {
  const end = LENGTHS_BYTES + whole.readUInt32BE(0);
  return { header: headerIn(whole.toString('utf8', LENGTHS_BYTES, end)), body: whole.subarray(end) };
}

function headerIn(text: string): Frame['header'] {
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null && !Array.isArray(header)) return header as Frame['header'];
  } catch {
    // It is refused below.
  }
  throw new FrameFault('A header is no object.');
}

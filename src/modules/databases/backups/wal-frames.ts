import type { ClusterDisk } from '../persistence/clusters.store.js';
import { SEGMENT_BYTES, segmentOf, type WalSegment } from './wal-segments.js';

/** A header is a name of 24 characters and its end. */
const HEADER_BYTES = 64;
const KIBIBYTE = 1_024;

export interface WalFrame extends WalSegment {
  readonly content: Buffer;
}

export interface FrameReader {
  /** It is called first, so that it is known when the segments cannot be stored. */
  readonly measured: (disk: ClusterDisk) => Promise<void>;
  readonly take: (frame: WalFrame) => Promise<void>;
}

/** What a program inside handed over is not what it should be. */
class FramesInvalid extends Error {
  override readonly name = 'FramesInvalid';
}

/**
 * Reads what `wal-out` writes: the line `disk` with the KiB of the cluster and of its archive; a line with the name of
 * a segment, then its content, which always has the same size, and so on; at the end the line `end` with a number.
 * Everything else is refused, because a tenant may have changed the program's view. Returns the number.
 */
export async function readFrames(source: AsyncIterable<Buffer>, { measured, take }: FrameReader): Promise<number> {
  const input = new Input(source);
  const [, disk, undrained] = /^disk ([0-9]{1,12}) ([0-9]{1,12})$/.exec(await input.line()) ?? [];
  if (disk === undefined) throw new FramesInvalid('The log does not begin with the use of the disk.');
  await measured({ diskBytes: Number(disk) * KIBIBYTE, undrainedBytes: Number(undrained) * KIBIBYTE });
  for (;;) {
    const line = await input.line();
    const [, waiting] = /^end ([0-9]{1,9})$/.exec(line) ?? [];
    if (waiting !== undefined) {
      await input.requireEnd();
      return Number(waiting);
    }
    const segment = segmentOf(line);
    if (segment === undefined) throw new FramesInvalid('A segment of the log has no valid name.');
    await take({ ...segment, content: await input.bytes(SEGMENT_BYTES) });
  }
}

class Input {
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end > HEADER_BYTES || (end < 0 && this.rest.length > HEADER_BYTES))
        throw new FramesInvalid('A header of the log is too long.');
      if (end >= 0) {
        const line = this.rest.toString('latin1', 0, end);
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      this.rest = Buffer.concat([this.rest, await this.more()]);
    }
  }

  async bytes(count: number): Promise<Buffer> {
    const held = [this.rest];
    let bytes = this.rest.length;
    while (bytes < count) {
      const chunk = await this.more();
      held.push(chunk);
      bytes += chunk.length;
    }
    const all = Buffer.concat(held);
    this.rest = all.subarray(count);
    return all.subarray(0, count);
  }

  async requireEnd(): Promise<void> {
    if (this.rest.length > 0 || (await this.source.next()).done !== true)
      throw new FramesInvalid('Something follows the end of the log.');
  }

  private async more(): Promise<Buffer> {
    const next = await this.source.next();
    if (next.done === true) throw new FramesInvalid('The log ends too early.');
    return next.value;
  }
}

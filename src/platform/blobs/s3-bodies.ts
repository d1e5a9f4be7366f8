import { Readable } from 'node:stream';
import { ServiceUnavailable } from '../errors/platform.errors.js';
import type { BlobContent } from './blob-storage.js';

interface Waits {
  readonly answerMs: number;
  readonly bytesMs: number;
}

/**
 * The bytes of a blob on their way to a server. The last ones are sent when all have been read without a fault, so that
 * the server never has the whole of a blob that is given up. The library does not see when its body fails, and waits
 * for as long as the server does.
 */
export class SentBody {
  readonly stream: Readable;
  private readonly abort = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /** Why the body was given up. */
  fault: Error | undefined;

  constructor(
    private readonly content: BlobContent,
    private readonly waits: Waits,
  ) {
    this.stream = Readable.from(this.read(), { objectMode: false });
    this.stream.on('error', (error: Error) => {
      this.giveUp(error);
    });
  }

  /** Aborted when the body was given up. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  close(): void {
    clearTimeout(this.timer);
    this.stream.destroy();
  }

  private async *read(): AsyncGenerator<Buffer> {
    const { bytes: announced } = this.content;
    let bytes = 0;
    let last: Buffer | undefined;
    for await (const chunk of this.content.open() as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > announced) break;
      if (chunk.length === 0) continue;
      if (last !== undefined) yield* this.taken(last);
      last = chunk;
    }
    if (bytes !== announced) throw new Error(`A blob of ${announced} bytes came to ${bytes}.`);
    if (last !== undefined) yield* this.taken(last);
    this.expect(this.waits.answerMs);
  }

  /** The time in which the next bytes are awaited from their source does not count. */
  private *taken(chunk: Buffer): Generator<Buffer> {
    this.expect(this.waits.bytesMs);
    yield chunk;
    clearTimeout(this.timer);
  }

  private expect(withinMs: number): void {
    if (this.stream.destroyed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.giveUp(new ServiceUnavailable(new Error(`The storage took nothing for ${withinMs} ms.`)));
    }, withinMs).unref();
  }

  private giveUp(fault: Error): void {
    this.fault ??= fault;
    this.abort.abort();
  }
}

/** Returns the bytes of a blob, which fail when the server sends no more of them. Slow readers may take their time. */
export function fetchedBody(body: Readable, { bytesMs }: Waits): Readable {
  const fetched = Readable.from(arriving(body, bytesMs), { objectMode: false });
  // A reader that leaves does not wait for bytes that do not come.
  fetched.once('close', () => body.destroy());
  return fetched;
}

async function* arriving(body: Readable, withinMs: number): AsyncGenerator<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  const expect = (): void => {
    timer = setTimeout(() => {
      body.destroy(new Error(`The storage sent nothing for ${withinMs} ms.`));
    }, withinMs).unref();
  };
  try {
    expect();
    for await (const chunk of body as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      yield chunk;
      expect();
    }
  } catch (error) {
    // The codes of broken connections would look as if the caller had left.
    throw new ServiceUnavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

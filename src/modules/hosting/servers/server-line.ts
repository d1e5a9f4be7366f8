import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEADER_BYTES = 4;
/** The forwarder takes care not to send more; a program that replaced it might. */
const MOST_BYTES = 64 * 1_048_576;
const WITHIN_MS = 10_000;
const FAILED = 0xffffffff;

/**
 * The connection of the host to the forwarder beside a server. It is the first of all, so that no request can be. What
 * comes over it is untrusted: nothing of it is read but its lengths.
 */
export class ServerLine {
  /** Resolves when the server listens, and rejects when the connection ends before. */
  readonly listening: Promise<void>;
  private readonly socket: Socket;
  private isBusy = false;

  constructor(socketPath: string) {
    this.socket = connect(socketPath);
    this.socket.on('error', () => undefined);
    this.listening = new Promise((resolve, reject) => {
      this.socket.once('readable', () => {
        if (this.socket.read(1) === null) reject(new Error('The server ended before it listened.'));
        else resolve();
      });
      this.socket.once('close', () => {
        reject(new Error('The server ended before it listened.'));
      });
    });
    // It may end before anybody waits for it.
    this.listening.catch(() => undefined);
  }

  close(): void {
    this.socket.destroy();
  }

  /**
   * Yields the archive of what the server has written, in pieces.
   * @throws {Error} when there is none, or it is too large or too late. The connection cannot be used again then.
   */
  async *archive(): AsyncGenerator<Buffer> {
    if (this.isBusy || this.socket.destroyed) throw new Error('The server does not answer.');
    this.isBusy = true;
    const timer = setTimeout(() => {
      this.close();
    }, WITHIN_MS);
    let isWhole = false;
    try {
      this.socket.write('.');
      let bytes = 0;
      for (;;) {
        const length = (await this.take(HEADER_BYTES)).readUInt32BE();
        if (length === 0) break;
        if (length === FAILED) throw new Error('The server has no archive.');
        bytes += length;
        if (bytes > MOST_BYTES) throw new Error('The archive is too large.');
        yield await this.take(length);
      }
      isWhole = true;
    } finally {
      clearTimeout(timer);
      this.isBusy = false;
      if (!isWhole) this.close();
    }
  }

  private async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const part = this.socket.read(Math.min(missing, this.socket.readableLength)) as Buffer | null;
      if (part !== null && part.length > 0) {
        parts.push(part);
        missing -= part.length;
      } else await this.more();
    }
    return Buffer.concat(parts);
  }

  private async more(): Promise<void> {
    if (this.socket.destroyed || this.socket.readableEnded) throw new Error('The server has ended.');
    const over = new AbortController();
    try {
      await Promise.race([
        once(this.socket, 'readable', { signal: over.signal }),
        once(this.socket, 'close', { signal: over.signal }),
      ]);
    } finally {
      over.abort();
    }
  }
}

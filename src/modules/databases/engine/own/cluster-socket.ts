import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';

/** O_PATH: a name for the file that neither reads nor writes it. Node does not export it. */
const O_PATH = 0o10_000_000;

/**
 * The socket of a running cluster. The cluster may put anything in its place, so the file is opened once without
 * following a link, must be a socket, and is reached by its descriptor from then on.
 */
export class ClusterSocket {
  private constructor(private descriptor: number | undefined) {}

  /** @throws {Error} when there is no socket. */
  static open(path: string): ClusterSocket {
    const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW);
    if (!fstatSync(descriptor).isSocket()) {
      closeSync(descriptor);
      throw new Error('The cluster has no socket.');
    }
    return new ClusterSocket(descriptor);
  }

  /** @param onWrite called before bytes are written. @throws {Error} when the cluster refuses. */
  async connect(onWrite: () => void = ignore): Promise<Socket> {
    const connection = new ClusterConnection(this.address, onWrite);
    await new Promise<void>((resolve, reject) => {
      connection.once('connect', resolve);
      connection.once('error', reject);
      connection.connect();
    });
    return connection;
  }

  /** A connection for the service's own questions, which is not open yet. Its `connect` needs no address. */
  questioning(): ClusterConnection {
    return new QuestioningConnection(this.address, ignore);
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private get address(): string {
    if (this.descriptor === undefined) throw new Error('The cluster has ended.');
    return `/proc/self/fd/${this.descriptor}`;
  }
}

const ignore = (): void => undefined;

type Done = (error?: Error | null) => void;

/** A connection to the server of a cluster, which reports bytes before they are written. */
export class ClusterConnection extends Socket {
  constructor(
    private readonly place: string,
    private readonly onWrite: () => void,
  ) {
    super();
  }

  /** Callers such as a client of PostgreSQL name an address, which is not that of a cluster. */
  override connect(): this {
    return super.connect({ path: this.place });
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.onWrite();
    super._write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.onWrite();
    super._writev!(chunks, done);
  }
}

/** The service asks for a few numbers. */
const LONGEST_ANSWERS = 8_192;

/**
 * Keeps the service from harm by the answers. Whatever runs inside of the cluster may write them, and a client of
 * PostgreSQL expects a server that keeps to the protocol: it throws, or waits for gigabytes, when one does not.
 */
class QuestioningConnection extends ClusterConnection {
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event === 'data' && this.bytesRead > LONGEST_ANSWERS) {
      this.destroy(new Error('The server of a database answered with too much.'));
      return true;
    }
    try {
      return super.emit(event, ...given);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error('The answer of a database is not valid.'));
      return true;
    }
  }
}

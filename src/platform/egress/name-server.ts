import { createServer, type Server, type Socket } from 'node:net';

import { type DirectorySocket, listenIn } from './directory-socket.js';
import { type AnswerCode, answerTo, type DnsQuery, type DnsRecord, queryIn } from './dns-message.js';

/** The name of the socket in its directory. */
const NAMES_SOCKET = 'names';

const LENGTH_BYTES = 2;
/** A question has at most 271 bytes; the rest is for options. */
const LONGEST_QUERY = 512;
const MOST_CONNECTIONS = 32;
const MOST_PENDING = 64;
const MOST_UNREAD_BYTES = 65_536;
const QUERIES_PER_SECOND = 20;
const QUERIES_AT_ONCE = 100;
const PAUSE_MS = 50;
const IDLE_TIMEOUT_MS = 120_000;

export interface NameAnswer {
  readonly code: AnswerCode;
  readonly records: readonly DnsRecord[];
}

export interface NameServerOptions {
  /** A host directory that no isolated program can write to. The socket is created in it. */
  readonly directory: string;
  readonly answer: (query: DnsQuery) => Promise<NameAnswer>;
}

/**
 * Answers the names that one isolated program asks for, on a Unix socket in the format of DNS over TCP. Questions that
 * come too fast wait in the program's own socket.
 */
export class NameServer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private pending = 0;
  private tokens = QUERIES_AT_ONCE;
  private tokensAtMs = performance.now();
  private listening!: DirectorySocket;

  private constructor(private readonly options: NameServerOptions) {
    this.server = createServer((socket) => {
      this.serve(socket);
    });
    this.server.maxConnections = MOST_CONNECTIONS;
  }

  static async listen(options: NameServerOptions): Promise<NameServer> {
    const names = new NameServer(options);
    names.listening = await listenIn(options.directory, NAMES_SOCKET, names.server);
    return names;
  }

  async close(): Promise<void> {
    const closed = this.listening.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    let received: Buffer = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const work = (): void => {
      received = this.answerAll(socket, received);
      if (received.length < LENGTH_BYTES + lengthOf(received) || socket.destroyed) return;
      // A whole question is left, so that the limits are reached.
      socket.pause();
      timer ??= setTimeout(() => {
        timer = undefined;
        socket.resume();
        work();
      }, PAUSE_MS);
    };
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.sockets.delete(socket);
      clearTimeout(timer);
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      work();
    });
  }

  /** Answers as many questions as the limits allow, and returns the bytes after them. */
  private answerAll(socket: Socket, received: Buffer): Buffer {
    let rest = received;
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + lengthOf(rest);
      if (end > LENGTH_BYTES + LONGEST_QUERY || socket.writableLength > MOST_UNREAD_BYTES) {
        socket.destroy();
        return Buffer.alloc(0);
      }
      if (rest.length < end || !this.takeToken()) return rest;
      void this.answer(socket, rest.subarray(LENGTH_BYTES, end));
      rest = rest.subarray(end);
    }
    return rest;
  }

  private async answer(socket: Socket, message: Buffer): Promise<void> {
    const query = queryIn(message);
    if (query === null) {
      socket.destroy();
      return;
    }
    this.pending++;
    const { code, records } = await this.options
      .answer(query)
      .catch((): NameAnswer => ({ code: 'failed', records: [] }));
    this.pending--;
    if (socket.destroyed) return;
    const answer = answerTo(query, code, records);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(answer.length);
    socket.write(Buffer.concat([length, answer]));
  }

  private takeToken(): boolean {
    const nowMs = performance.now();
    const earned = ((nowMs - this.tokensAtMs) * QUERIES_PER_SECOND) / 1_000;
    this.tokens = Math.min(QUERIES_AT_ONCE, this.tokens + earned);
    this.tokensAtMs = nowMs;
    if (this.tokens < 1 || this.pending >= MOST_PENDING) return false;
    this.tokens -= 1;
    return true;
  }
}

/** Returns the announced length; infinite as long as it is unknown. */
const lengthOf = (received: Buffer): number => (received.length < LENGTH_BYTES ? Infinity : received.readUInt16BE(0));

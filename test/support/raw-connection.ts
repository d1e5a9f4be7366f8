import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const ANSWER_WITHIN_MS = 20_000;

/** A connection that requests are written to as bytes, one after another. */
export class RawConnection {
  private bytes = Buffer.alloc(0);
  private read = 0;
  private ended = false;
  private wake: () => void = () => undefined;

  private constructor(
    private readonly socket: Socket,
    readonly port: number,
  ) {
    socket.on('data', (chunk: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
      this.wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket, port);
  }

  get isOpen(): boolean {
    return !this.ended;
  }

  get received(): Buffer {
    return this.bytes;
  }

  /** What came after the last whole answer. */
  get unread(): string {
    return this.bytes.subarray(this.read).toString('latin1');
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /**
   * Writes a request and reads one whole answer, strictly: bytes that belong to none make the next answer fail.
   *
   * @throws {Error} when the connection ends before the answer does.
   */
  async ask(request: string | Buffer): Promise<RawAnswer> {
    this.socket.write(request);
    return this.next(/^HEAD /.test(request.toString('latin1')));
  }

  async next(isHead = false): Promise<RawAnswer> {
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    for (;;) {
      const answer = this.parse(isHead);
      if (answer !== undefined) return answer;
      if (this.ended) throw new Error(`The connection ended: ${JSON.stringify(this.unread.slice(0, 200))}`);
      if (performance.now() > deadline) throw new Error('There was no answer in time.');
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 1_000).unref();
      });
    }
  }

  async closed(): Promise<void> {
    if (!this.ended) await once(this.socket, 'close');
  }

  close(): void {
    this.socket.destroy();
  }

  private parse(isHead: boolean): RawAnswer | undefined {
    const text = this.unread;
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = text.slice(0, end);
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
    if (status === undefined) throw new Error(`This is no answer: ${JSON.stringify(text.slice(0, 200))}`);
    const rest = text.slice(end + 4);
    const body = isHead || status === '204' || status === '304' ? { text: '', length: 0 } : this.bodyOf(head, rest);
    if (body === undefined) return undefined;
    this.read += end + 4 + body.length;
    // A connection of thousands of answers need not keep them.
    if (this.read > 65_536) {
      this.bytes = this.bytes.subarray(this.read);
      this.read = 0;
    }
    return { status: Number(status), head, body: body.text };
  }

  private bodyOf(head: string, rest: string): { text: string; length: number } | undefined {
    const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
    if (length !== undefined)
      return rest.length < Number(length) ? undefined : { text: rest.slice(0, Number(length)), length: Number(length) };
    if (!/^transfer-encoding: *chunked$/im.test(head))
      return this.ended ? { text: rest, length: rest.length } : undefined;
    let at = 0;
    let text = '';
    for (;;) {
      const line = /^([0-9a-f]+)\r\n/i.exec(rest.slice(at, at + 20));
      if (line === null) return undefined;
      const size = parseInt(line[1]!, 16);
      at += line[0].length;
      if (rest.length < at + size + 2) return undefined;
      text += rest.slice(at, at + size);
      at += size + 2;
      if (size === 0) return { text, length: at };
    }
  }
}

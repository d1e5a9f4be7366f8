import type { Duplex } from 'node:stream';
import { DatabaseUnavailable, QueryFailed } from '../databases.errors.js';
import { PeerGone, readBytes } from '../wire/protocol/read-packets.js';
import { cancelPacketOf, startupMessageOf } from '../wire/protocol/startup-packet.js';
import { fieldsOf, simpleQueryOf, terminateOf, valuesOf } from './query-protocol.js';

/** Any message but a row: descriptions of 1,600 columns and errors fit. */
const MAX_MESSAGE_BYTES = 1_048_576;
const PIECE_BYTES = 65_536;
const MAX_TEXT = 2_000;

export interface Answer {
  readonly type: string;
  readonly body: Buffer;
  /** True for a row that was larger than allowed. It was read and thrown away. */
  readonly isTooLarge: boolean;
}

/** A session of the service itself with a database, for one statement. No answer is kept here. */
export class QuerySession {
  private key: { processId: number; secret: number } | undefined;

  constructor(protected readonly stream: Duplex) {
    stream.on('error', () => stream.destroy());
  }

  /** @throws {DatabaseUnavailable} `database_unavailable` */
  async begin(parameters: Readonly<Record<string, string>>): Promise<void> {
    this.send(startupMessageOf([['user', 'service'], ...Object.entries(parameters)]));
    for (;;) {
      const { type, body } = await this.next();
      if (type === 'Z') return;
      if (type === 'K') this.key = { processId: body.readUInt32BE(0), secret: body.readUInt32BE(4) };
      if (type === 'E') throw new DatabaseUnavailable(sentence(fieldsOf(body).get('M') ?? 'The database refused.'));
    }
  }

  /** What cancels the running statement, to be sent on a connection of its own. */
  get cancelPacket(): Buffer | undefined {
    return this.key === undefined ? undefined : cancelPacketOf(this.key);
  }

  send(...messages: Buffer[]): void {
    this.stream.write(Buffer.concat(messages));
  }

  /**
   * Returns the next message that matters. @param maxRowBytes rows beyond it are not kept.
   * @throws {DatabaseUnavailable} `database_unavailable`
   */
  async next(maxRowBytes = MAX_MESSAGE_BYTES): Promise<Answer> {
    try {
      for (;;) {
        const head = await readBytes(this.stream, 5);
        const type = head.toString('latin1', 0, 1);
        const bytes = head.readUInt32BE(1) - 4;
        if (type === 'D' && bytes > maxRowBytes) {
          await this.discard(bytes);
          return { type, body: Buffer.alloc(0), isTooLarge: true };
        }
        if (bytes < 0 || bytes > Math.max(MAX_MESSAGE_BYTES, maxRowBytes)) throw new PeerGone('A message is too long.');
        const body = await readBytes(this.stream, bytes);
        // Notices, changed settings and notifications matter to nobody here.
        if (type !== 'N' && type !== 'S' && type !== 'A') return { type, body, isTooLarge: false };
      }
    } catch (error) {
      this.stream.destroy();
      throw new DatabaseUnavailable('The connection to the database ended.', { cause: error });
    }
  }

  /** Runs statements of our own, and returns their rows. @throws {QueryFailed} */
  async run(sql: string): Promise<(string | null)[][]> {
    this.send(simpleQueryOf(sql));
    const rows: (string | null)[][] = [];
    let failure: QueryFailed | undefined;
    for (;;) {
      const { type, body } = await this.next();
      if (type === 'D') rows.push(valuesOf(body));
      if (type === 'E') failure = failureOf(body);
      if (type === 'Z') break;
    }
    if (failure !== undefined) throw failure;
    return rows;
  }

  end(): void {
    this.stream.end(terminateOf());
    this.stream.resume();
  }

  destroy(): void {
    this.stream.destroy();
  }

  private async discard(bytes: number): Promise<void> {
    for (let left = bytes; left > 0;) left -= (await readBytes(this.stream, Math.min(left, PIECE_BYTES))).length;
  }
}

export function failureOf(body: Buffer): QueryFailed {
  const fields = fieldsOf(body);
  const text = (letter: string): string | undefined => fields.get(letter)?.slice(0, MAX_TEXT);
  const position = Number(fields.get('P'));
  const copyLine = /^COPY .*, line (\d+)/m.exec(fields.get('W') ?? '')?.[1];
  return new QueryFailed({
    sqlState: fields.get('C') ?? 'XX000',
    message: text('M') ?? 'The statement failed.',
    position: Number.isInteger(position) && position > 0 ? position : undefined,
    detail: text('D'),
    hint: text('H'),
    ...(copyLine === undefined ? {} : { copyLine: Number(copyLine) }),
  });
}

/** PostgreSQL's messages are neither capitalized nor ended. */
function sentence(message: string): string {
  const text = message.slice(0, MAX_TEXT);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

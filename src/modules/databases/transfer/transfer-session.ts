import { messageOf } from '../wire/protocol/messages.js';
import { writePaced } from '../wire/protocol/paced-write.js';
import { PeerGone, readBytes } from '../wire/protocol/read-packets.js';
import { DatabaseUnavailable, type QueryFailed } from '../databases.errors.js';
import { bindOf, executeOf, flushOf, parseOf, simpleQueryOf, syncOf, valuesOf } from '../sql/query-protocol.js';
import { failureOf, QuerySession } from '../sql/query-session.js';

/** The definition of a view or a function. */
const MAX_ROW_BYTES = 16_777_216;
const MAX_OTHER_BYTES = 1_048_576;
const PIECE_BYTES = 65_536;

/** What a statement has led to. It waits for data when it is a `COPY … FROM stdin`. */
export type Outcome = 'done' | 'wants data';

/** A session that carries the rows of whole tables, in pieces. */
export class TransferSession extends QuerySession {
  /** Yields the rows of a statement of our own. @throws {QueryFailed} */
  async *rows(sql: string): AsyncGenerator<(string | null)[]> {
    this.send(simpleQueryOf(sql));
    let failure: QueryFailed | undefined;
    for (;;) {
      const { type, body, isTooLarge } = await this.next(MAX_ROW_BYTES);
      if (isTooLarge) throw new DatabaseUnavailable('A definition in the database is too large to be exported.');
      if (type === 'D') yield valuesOf(body);
      if (type === 'E') failure = failureOf(body);
      if (type === 'Z') break;
    }
    if (failure !== undefined) throw failure;
  }

  /** Yields what a `COPY … TO STDOUT` writes. A row may be larger than what is ever held. @throws {QueryFailed} */
  async *copyOut(sql: string): AsyncGenerator<Buffer> {
    this.send(simpleQueryOf(sql));
    yield* this.copied();
  }

  /** Yields the data of a COPY that has been asked for. @throws {QueryFailed} */
  async *copied(): AsyncGenerator<Buffer> {
    let failure: QueryFailed | undefined;
    try {
      for (;;) {
        const head = await readBytes(this.stream, 5);
        const type = head.toString('latin1', 0, 1);
        const bytes = head.readUInt32BE(1) - 4;
        if (type === 'd') {
          for (let left = bytes; left > 0;) {
            const piece = await readBytes(this.stream, Math.min(left, PIECE_BYTES));
            left -= piece.length;
            yield piece;
          }
          continue;
        }
        if (bytes < 0 || bytes > MAX_OTHER_BYTES) throw new PeerGone('A message is too long.');
        const body = await readBytes(this.stream, bytes);
        if (type === 'E') failure = failureOf(body);
        if (type === 'Z') break;
      }
    } catch (error) {
      this.destroy();
      throw new DatabaseUnavailable('The connection to the database ended.', { cause: error });
    }
    if (failure !== undefined) throw failure;
  }

  /** Runs exactly one statement, and throws its rows away. @throws {QueryFailed} */
  execute(sql: string): Promise<Outcome> {
    this.send(parseOf(sql), bindOf([]), executeOf(0), flushOf());
    return this.outcome();
  }

  /** Reads what a statement, or the data after it, leads to. @throws {QueryFailed} */
  async outcome(): Promise<Outcome> {
    for (;;) {
      const { type, body } = await this.next(0);
      if (type === 'E') throw failureOf(body);
      if (type === 'G') return 'wants data';
      if (type === 'C' || type === 'I') return 'done';
    }
  }

  /** Ends a statement, and returns whether the transaction of the session is still open. @throws {QueryFailed} */
  async settled(): Promise<boolean> {
    this.send(syncOf());
    for (;;) {
      const { type, body } = await this.next();
      if (type === 'E') throw failureOf(body);
      if (type === 'Z') return body.toString('latin1') === 'T';
    }
  }

  /** Sends data of a COPY no faster than the server takes it. */
  async sendData(bytes: Buffer): Promise<void> {
    if (this.stream.destroyed) throw new DatabaseUnavailable('The connection to the database ended.');
    await writePaced(this.stream, messageOf('d', bytes));
  }

  /** The server keeps its answer back until it is asked for. */
  endData(): void {
    this.send(messageOf('c'), flushOf());
  }
}

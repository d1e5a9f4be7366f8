import { DatabaseUnavailable, QueryFailed } from '../databases.errors.js';
import type { QueryRoom } from './query-room.js';
import {
  bindOf,
  columnsOf,
  describeOf,
  executeOf,
  flushOf,
  parseOf,
  type ResultColumn,
  syncOf,
  typeIdsOf,
  valuesOf,
} from './query-protocol.js';
import { failureOf, type QuerySession } from './query-session.js';
import { nameOfType, parameterText, resultValue } from './query-values.js';

const MAX_RESULT_BYTES = 8_388_608;
const ROWS_AT_ONCE = 500;

export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly maxRows: number;
}

export interface StatementResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** What the statement returned or changed, by PostgreSQL's count. */
  readonly rowCount: number;
  readonly truncated: boolean;
  /** For example `SELECT`, or null for an empty statement. */
  readonly command: string | null;
}

/**
 * Runs one statement by the extended protocol, which refuses a second one. Rows are asked for in portions, so that
 * neither the server nor this process holds more than is returned.
 */
export class StatementRun {
  private readonly rows: unknown[][] = [];
  private columns: readonly ResultColumn[] = [];
  private bytes = 0;
  private truncated = false;
  private tag: string | undefined;

  constructor(
    private readonly session: QuerySession,
    private readonly statement: Statement,
    private readonly room: QueryRoom,
  ) {}

  /** @throws {QueryFailed | DatabaseUnavailable} */
  async run(): Promise<StatementResult> {
    try {
      const typeIds = await this.prepare();
      const { params } = this.statement;
      this.session.send(bindOf(params.map((value, index) => parameterText(value, typeIds[index]))));
      while (await this.fetch());
      this.session.send(syncOf());
      await this.untilReady();
      return { ...this.outcome, columns: await this.namedColumns() };
    } finally {
      this.room.release(this.bytes);
    }
  }

  private async prepare(): Promise<readonly number[]> {
    this.session.send(parseOf(this.statement.sql), describeOf(), flushOf());
    let typeIds: readonly number[] = [];
    for (;;) {
      const { type, body } = await this.session.next();
      if (type === 'E') throw failureOf(body);
      if (type === 't') typeIds = typeIdsOf(body);
      if (type === 'T') this.columns = columnsOf(body);
      if (type === 'T' || type === 'n') return typeIds;
    }
  }

  /** Fetches a portion. Returns true when there may be more that is wanted. */
  private async fetch(): Promise<boolean> {
    // One more than wanted shows whether there are more.
    const wanted = Math.min(ROWS_AT_ONCE, this.statement.maxRows + 1 - this.rows.length);
    this.session.send(executeOf(wanted), flushOf());
    for (;;) {
      const { type, body, isTooLarge } = await this.session.next(MAX_RESULT_BYTES);
      switch (type) {
        case 'D':
          this.take(body, isTooLarge);
          break;
        case 's':
          return !this.truncated;
        case 'C':
          this.tag = body.toString('utf8', 0, body.length - 1);
          return false;
        case 'I':
          return false;
        case 'E':
          throw failureOf(body);
        case 'G':
        case 'H':
        case 'W':
          throw new QueryFailed({
            sqlState: '0A000',
            message: 'COPY from or to the client is not supported here.',
            position: undefined,
            detail: undefined,
            hint: 'Connect with a client of PostgreSQL.',
          });
        default:
      }
    }
  }

  private take(body: Buffer, isTooLarge: boolean): void {
    if (this.truncated) return;
    if (isTooLarge || this.rows.length >= this.statement.maxRows || this.bytes + body.length > MAX_RESULT_BYTES) {
      this.truncated = true;
      return;
    }
    this.room.reserve(body.length);
    this.bytes += body.length;
    this.rows.push(valuesOf(body).map((text, index) => resultValue(text, this.columns[index]?.typeId ?? 0)));
  }

  /** Errors of a commit, such as those of deferred constraints, come here. */
  private async untilReady(): Promise<void> {
    let failure: QueryFailed | undefined;
    for (;;) {
      const { type, body } = await this.session.next();
      if (type === 'E') failure = failureOf(body);
      if (type === 'Z') break;
    }
    if (failure !== undefined) throw failure;
  }

  private get outcome(): Omit<StatementResult, 'columns'> {
    const { rows, truncated, tag } = this;
    const counted = Number(tag?.split(' ').at(-1));
    const command = tag === undefined ? (this.columns.length > 0 ? 'SELECT' : null) : wordsOf(tag);
    return {
      rows,
      truncated,
      command,
      rowCount: Number.isInteger(counted) && tag !== undefined ? counted : rows.length,
    };
  }

  private async namedColumns(): Promise<StatementResult['columns']> {
    const unknown = [...new Set(this.columns.map(({ typeId }) => typeId))].filter((id) => nameOfType(id) === undefined);
    const names = new Map<number, string>();
    if (unknown.length > 0) {
      const sql = `SELECT oid, typname FROM pg_catalog.pg_type WHERE oid IN (${unknown.join(', ')})`;
      const rows = await this.session.run(sql).catch((error: unknown) => {
        // A statement that ended its transaction with a failure has no types to show.
        if (error instanceof QueryFailed || error instanceof DatabaseUnavailable) return [];
        throw error;
      });
      for (const [id, name] of rows) names.set(Number(id), (name ?? '').replace(/^_(.*)$/, '$1[]'));
    }
    return this.columns.map(({ name, typeId }) => ({
      name,
      type: nameOfType(typeId) ?? names.get(typeId) ?? 'unknown',
    }));
  }
}

/** The tag without its numbers: `INSERT 0 5` is an `INSERT`. */
const wordsOf = (tag: string): string =>
  tag
    .split(' ')
    .filter((word) => Number.isNaN(Number(word)))
    .join(' ');

import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseAccess } from '../database-access.js';
import { QueryFailed } from '../databases.errors.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import { QueryRoom } from '../sql/query-room.js';
import { type ReadStatement, SqlReader, SqlUnreadable } from './sql-reader.js';
import { TransferSession } from './transfer-session.js';
import { transferSettings } from './transfer-settings.js';

const LIMIT_MS = 3_600_000;
/** The import is one transaction already. */
const BEGINS_OR_COMMITS = /^(?:begin|start\s+transaction|commit|end)\b(?!\s+prepared)/i;
const BREAKS_OFF =
  /^(?:abort|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b)|prepare\s+transaction|commit\s+prepared)\b/i;

export interface Imported {
  readonly statements: number;
}

/** Runs the SQL of a caller in a database as its owner: all of it or nothing. */
@Injectable()
export class DatabaseImport {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly access: DatabaseAccess,
    private readonly room: QueryRoom,
    private readonly database: Database,
  ) {}

  /**
   * @param sql undefined for a dry run.
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {QueryFailed} `query_failed`, with the line.
   * @throws {DatabaseUnavailable} `database_unavailable`
   */
  async run(call: Call, id: string, sql: AsyncIterable<Buffer> | undefined, hangUp: AbortSignal): Promise<Imported> {
    const row = await this.directory.get(call, id, 'databases:admin');
    if (sql === undefined) return { statements: 0 };
    const signal = AbortSignal.any([hangUp, AbortSignal.timeout(LIMIT_MS)]);
    const imported = await this.room.within(row.org_id, async () => {
      const session = new TransferSession(await this.access.open({ databaseId: row.id, role: 'owner', signal }));
      try {
        await session.begin(transferSettings());
        return await runAll(session, new SqlReader(sql));
      } finally {
        // What was not committed is taken back.
        session.destroy();
      }
    });
    await this.database.transaction(() => this.directory.record(call, 'database.imported', row, { ...imported }));
    return imported;
  }
}

async function runAll(session: TransferSession, reader: SqlReader): Promise<Imported> {
  await session.run('BEGIN');
  let statements = 0;
  try {
    for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
      await runOne(session, reader, next);
      statements++;
    }
  } catch (error) {
    if (error instanceof SqlUnreadable) throw failedAt(error.line, '42601', error.message);
    throw error;
  }
  await session.run('COMMIT');
  return { statements };
}

async function runOne(session: TransferSession, reader: SqlReader, { sql, line }: ReadStatement): Promise<void> {
  const text = sql.toString('utf8');
  if (text.includes('\0')) throw failedAt(line, '22021', 'PostgreSQL has no text with the character U+0000.');
  if (BREAKS_OFF.test(text)) throw failedAt(line, '25001', 'An import is one transaction, which cannot be ended here.');
  if (BEGINS_OR_COMMITS.test(text)) return;
  let dataLine: number | undefined;
  try {
    if ((await session.execute(text)) === 'wants data') {
      dataLine = reader.line + 1;
      await sendCopy(session, reader);
    }
    if (await session.settled()) return;
  } catch (error) {
    if (error instanceof QueryFailed) throw error.atLine(lineOf(error, line, dataLine));
    throw error;
  }
  throw failedAt(line, '25001', 'An import is one transaction, which cannot be ended here.');
}

async function sendCopy(session: TransferSession, reader: SqlReader): Promise<void> {
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  // It is read at the same time, because a server that is not listened to takes no more data.
  const outcome = session.outcome();
  outcome.then(end, end);
  for await (const bytes of reader.copyData()) {
    if (ended.signal.aborted) break;
    await session.sendData(bytes);
  }
  if (!ended.signal.aborted) session.endData();
  await outcome;
}

/** PostgreSQL counts the lines of data from 1. */
function lineOf(error: QueryFailed, line: number, dataLine: number | undefined): number {
  const within = Number(error.copyLine);
  return dataLine === undefined || !(within > 0) ? line : dataLine + within - 1;
}

function failedAt(line: number, sqlState: string, message: string): QueryFailed {
  return new QueryFailed({ sqlState, message, position: undefined, detail: undefined, hint: undefined }).atLine(line);
}

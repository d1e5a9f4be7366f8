import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseAccess } from '../database-access.js';
import { ExportFormatUnavailable } from '../databases.errors.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import { QueryRoom } from '../sql/query-room.js';
import { AFTER_DATA, BEFORE_DATA, LEFT_OUT, TABLES } from './dump-statements.js';
import { TransferSession } from './transfer-session.js';
import { transferSettings } from './transfer-settings.js';

const LIMIT_MS = 3_600_000;
const TABLES_AT_ONCE = 100;
const PIECE_BYTES = 65_536;

/** All of it sees one moment, and cannot change anything. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
  SET LOCAL search_path = ''; SET LOCAL row_security = off;
  DECLARE tables NO SCROLL CURSOR FOR ${TABLES}`;

const OPENING = `-- PostgreSQL 18

SET check_function_bodies = false;
SET standard_conforming_strings = on;
SET client_min_messages = warning;
SELECT pg_catalog.set_config('search_path', '', false);

`;
const CLOSING = '\n-- The export is complete.\n';

export type ExportFormat = 'sql' | 'custom';

/** Writes databases as SQL. */
@Injectable()
export class DatabaseExport {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly access: DatabaseAccess,
    private readonly room: QueryRoom,
    private readonly database: Database,
  ) {}

  /**
   * Calls `send` with the SQL, which is written no faster than it is read. It is read as the owner, because row-level
   * security could hide rows from `reader`.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ExportFormatUnavailable} `export_format_unavailable`
   * @throws {DatabaseUnavailable} `database_unavailable`
   */
  async run(
    call: Call,
    { id, format }: { readonly id: string; readonly format: ExportFormat },
    hangUp: AbortSignal,
    send: (sql: Readable) => Promise<void>,
  ): Promise<void> {
    const row = await this.directory.get(call, id, 'databases:write');
    if (format === 'custom') throw new ExportFormatUnavailable();
    const signal = AbortSignal.any([hangUp, AbortSignal.timeout(LIMIT_MS)]);
    await this.room.within(row.org_id, async () => {
      const session = new TransferSession(await this.access.open({ databaseId: row.id, role: 'owner', signal }));
      try {
        await session.begin(transferSettings());
        await session.run(BEGIN);
        await this.database.transaction(() => this.directory.record(call, 'database.exported', row));
        const pieces = inPieces(dumpOf(session));
        // What fails before there is anything to send is answered as an error.
        const first = await pieces.next();
        await send(Readable.from(following(first, pieces), { objectMode: false }));
      } finally {
        session.destroy();
      }
    });
  }
}

async function* dumpOf(session: TransferSession): AsyncGenerator<Buffer> {
  yield Buffer.from(OPENING);
  for (const statement of [LEFT_OUT, ...BEFORE_DATA]) yield* linesOf(session, statement);
  for (;;) {
    const tables = await session.run(`FETCH ${TABLES_AT_ONCE} FROM tables`);
    for (const [, name, columns] of tables) yield* rowsOf(session, name!, columns ?? null);
    if (tables.length < TABLES_AT_ONCE) break;
  }
  for (const statement of AFTER_DATA) yield* linesOf(session, statement);
  yield Buffer.from(CLOSING);
}

async function* linesOf(session: TransferSession, statement: string): AsyncGenerator<Buffer> {
  for await (const [text] of session.rows(statement)) yield Buffer.from(`${text!}\n`);
}

async function* rowsOf(session: TransferSession, name: string, columns: string | null): AsyncGenerator<Buffer> {
  const list = columns === null ? '' : ` (${columns})`;
  yield Buffer.from(`\nCOPY ${name}${list} FROM stdin;\n`);
  yield* session.copyOut(`COPY ${name}${list} TO STDOUT`);
  yield Buffer.from('\\.\n');
}

async function* following(first: IteratorResult<Buffer>, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.done !== true) yield first.value;
  yield* rest;
}

/** Rows are small, and each piece has a cost. */
async function* inPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const each of source) {
    waiting.push(each);
    bytes += each.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}

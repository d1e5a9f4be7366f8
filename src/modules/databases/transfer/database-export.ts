import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseAccess } from '../database-access.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import { QueryRoom } from '../sql/query-room.js';
import { ArchiveDump } from './archive-dump.js';
import { SqlDump } from './sql-dump.js';

const LIMIT_MS = 3_600_000;
const PIECE_BYTES = 65_536;

export type ExportFormat = 'sql' | 'custom';

const DUMPS = { sql: SqlDump, custom: ArchiveDump };

/** Writes databases as SQL, or in the format of `pg_restore`. */
@Injectable()
export class DatabaseExport {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly access: DatabaseAccess,
    private readonly room: QueryRoom,
    private readonly database: Database,
  ) {}

  /**
   * Calls `send` with the export, which is written no faster than it is read. It is read as the owner, because
   * row-level security could hide rows from `reader`.
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
    send: (exported: Readable) => Promise<void>,
  ): Promise<void> {
    const row = await this.directory.get(call, id, 'databases:write');
    const signal = AbortSignal.any([hangUp, AbortSignal.timeout(LIMIT_MS)]);
    await this.room.within(row.org_id, async () => {
      const dump = new DUMPS[format](await this.access.open({ databaseId: row.id, role: 'owner', signal }));
      try {
        await dump.begin();
        await this.database.transaction(() => this.directory.record(call, 'database.exported', row));
        const pieces = inPieces(dump.pieces());
        // What fails before there is anything to send is answered as an error.
        const first = await pieces.next();
        await send(Readable.from(following(first, pieces), { objectMode: false }));
      } finally {
        dump.destroy();
      }
    });
  }
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

import type { Duplex } from 'node:stream';
import type { Dump } from './dump.js';
import { AFTER_DATA } from './statements/after-data.js';
import { BEFORE_DATA } from './statements/before-data.js';
import { LEFT_OUT } from './statements/left-out.js';
import { SEQUENCES, TABLES } from './statements/rows.js';
import { TransferSession } from './transfer-session.js';
import { transferSettings } from './transfer-settings.js';

/** How many tables or sequences are known at a time. */
const AT_ONCE = 100;

/** All of it sees one moment, and cannot change anything. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
  SET LOCAL search_path = ''; SET LOCAL row_security = off;
  DECLARE tables NO SCROLL CURSOR FOR ${TABLES};
  DECLARE sequences NO SCROLL CURSOR FOR ${SEQUENCES}`;

const OPENING = `-- PostgreSQL 18

SET check_function_bodies = false;
SET standard_conforming_strings = on;
SET client_min_messages = warning;
SELECT pg_catalog.set_config('search_path', '', false);

`;
const CLOSING = '\n-- The export is complete.\n';

/** Writes a database as SQL. */
export class SqlDump implements Dump {
  private readonly session: TransferSession;

  constructor(stream: Duplex) {
    this.session = new TransferSession(stream);
  }

  async begin(): Promise<void> {
    await this.session.begin(transferSettings());
    await this.session.run(BEGIN);
  }

  async *pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(OPENING);
    for (const statement of [LEFT_OUT, ...BEFORE_DATA]) yield* this.linesOf(statement);
    for await (const [, name, columns] of this.fetched('tables')) yield* this.rowsOf(name!, columns ?? null);
    for await (const [name, text] of this.fetched('sequences')) yield* this.valueOf(name!, text!);
    for (const statement of AFTER_DATA) yield* this.linesOf(statement);
    yield Buffer.from(CLOSING);
  }

  destroy(): void {
    this.session.destroy();
  }

  private async *fetched(cursor: 'tables' | 'sequences'): AsyncGenerator<(string | null)[]> {
    for (;;) {
      const rows = await this.session.run(`FETCH ${AT_ONCE} FROM ${cursor}`);
      yield* rows;
      if (rows.length < AT_ONCE) return;
    }
  }

  private async *linesOf(statement: string): AsyncGenerator<Buffer> {
    for await (const [text] of this.session.rows(statement)) yield Buffer.from(`${text!}\n`);
  }

  private async *rowsOf(name: string, columns: string | null): AsyncGenerator<Buffer> {
    const list = columns === null ? '' : ` (${columns})`;
    yield Buffer.from(`\nCOPY ${name}${list} FROM stdin;\n`);
    yield* this.session.copyOut(`COPY ${name}${list} TO STDOUT`);
    yield Buffer.from('\\.\n');
  }

  /** A sequence may have been set to a value that it has not returned yet. Only the sequence itself knows. */
  private async *valueOf(name: string, literal: string): AsyncGenerator<Buffer> {
    const [row] = await this.session.run(`SELECT last_value, is_called FROM ${name}`);
    const isCalled = row![1] === 't';
    yield Buffer.from(`SELECT pg_catalog.setval(${literal}, ${row![0]!}, ${String(isCalled)});\n`);
  }
}

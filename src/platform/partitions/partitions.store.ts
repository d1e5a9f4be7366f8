import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { CalendarMonth } from './calendar-month.js';
import { type Partitions, readPartitions } from './partition-bounds.js';
import type { PartitionedTable } from './partitioned-table.js';
import { STATEMENT_TRIGGERS } from './statement-triggers.js';

const PARTITIONS = `
  SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bound
  FROM pg_inherits i JOIN pg_class child ON child.oid = i.inhrelid
  WHERE i.inhparent = $1::text::regclass AND NOT i.inhdetachpending`;

/** Who writes waits no longer than this for a change of partitions, which then fails and is tried again. */
const LOCK_TIMEOUT_MS = 500;
/** So is who writes to the partition of the rest while rows are moved out of it. */
const MOVE_TIMEOUT_MS = 5_000;

/** Reads and changes the partitions of tables. Names come from the definitions of tables and from PostgreSQL alone. */
@Injectable()
export class PartitionsStore {
  constructor(private readonly database: Database) {}

  async list({ name }: PartitionedTable): Promise<Partitions> {
    return readPartitions(await this.database.manager.query<{ name: string; bound: string }[]>(PARTITIONS, [name]));
  }

  /**
   * Creates the partition of a month, and moves what the partition of the rest has of it. It does nothing while another
   * process does so.
   */
  async create(table: PartitionedTable, month: CalendarMonth, rest: string | undefined): Promise<void> {
    const [from, to] = [table.firstKeyFrom(month.start), table.firstKeyFrom(month.end)];
    const partition = `${table.name}_${month.suffix}`;
    await this.database.transaction(async () => {
      await this.begin();
      const [lock] = await this.query<{ granted: boolean }>(
        "SELECT pg_try_advisory_xact_lock(hashtext($1 || ' partitions')) AS granted",
        [table.name],
      );
      if (!lock!.granted) return;
      const [found] = await this.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [partition]);
      if (found!.there) return;
      // It is created first and then attached, because `CREATE TABLE … PARTITION OF` would lock the whole table.
      await this.query(`CREATE TABLE ${partition} (LIKE ${table.name} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
      if (rest !== undefined) await this.move(rest, partition, `${table.key} >= '${from}' AND ${table.key} < '${to}'`);
      await this.query(
        `ALTER TABLE ${table.name} ATTACH PARTITION ${partition} FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
      for (const { statement } of await this.query<{ statement: string }>(STATEMENT_TRIGGERS, [table.name, partition]))
        await this.query(statement);
    });
  }

  /** Counts rows of a partition, up to a limit. */
  async count(partition: string, limit: number): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT FROM ${partition} LIMIT ${limit}) AS counted`,
    );
    return row!.count;
  }

  /** Reads rows as JSON, in the order of the key, which must be unique: those after a key, or the first ones. */
  async rows(
    { key }: PartitionedTable,
    partition: string,
    after: string | null,
    limit: number,
  ): Promise<ArchivedRow[]> {
    return this.database.transaction(async () => {
      // The same row is the same text whatever the server has for its time zone.
      await this.query("SET LOCAL TimeZone = 'UTC'");
      return this.query<ArchivedRow>(
        `SELECT ${key} AS key, row_to_json(r)::text AS json FROM ${partition} AS r
         ${after === null ? '' : `WHERE ${key} > $1`} ORDER BY ${key} LIMIT ${limit}`,
        after === null ? [] : [after],
      );
    });
  }

  /** @throws {Error} when others use a partition, so that it could not be dropped now. */
  async requireUnused(partition: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.begin();
      await this.query(`LOCK TABLE ${partition} IN ACCESS EXCLUSIVE MODE`);
    });
  }

  /**
   * Drops a partition, if `isRight` says so while nobody can write to it. It has to come first in the running
   * transaction.
   */
  async dropIf(partition: string, isRight: () => Promise<boolean>): Promise<boolean> {
    await this.begin();
    // Who reads goes on, and so does who writes to other partitions.
    await this.query(`LOCK TABLE ${partition} IN SHARE MODE`);
    if (!(await isRight())) return false;
    // This locks the table and the partition of the rest for milliseconds. Detached first, the partition would get
    // references of its own, and their removal would lock the tables that they refer to, which others write to before.
    await this.query(`DROP TABLE ${partition}`);
    return true;
  }

  /** What is read after a lock was granted has to be as of then, whatever level the server has for its user. */
  private async begin(): Promise<void> {
    await this.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await this.query(`SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)`);
  }

  private async move(from: string, to: string, condition: string): Promise<void> {
    await this.query(`LOCK TABLE ${from} IN ACCESS EXCLUSIVE MODE`);
    const [found] = await this.query<{ any_row: boolean }>(
      `SELECT EXISTS (SELECT FROM ${from} WHERE ${condition}) AS any_row`,
    );
    if (!found!.any_row) return;
    await this.query(`SELECT set_config('statement_timeout', '${MOVE_TIMEOUT_MS}', true)`);
    // Triggers that refuse changes of rows do not mean this one.
    await this.query(`ALTER TABLE ${from} DISABLE TRIGGER USER`);
    await this.query(
      `WITH moved AS (DELETE FROM ${from} WHERE ${condition} RETURNING *) INSERT INTO ${to} SELECT * FROM moved`,
    );
    await this.query(`ALTER TABLE ${from} ENABLE TRIGGER USER`);
  }

  private async query<Row>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.manager.query<Row[]>(statement, parameters);
  }
}

interface ArchivedRow {
  readonly key: string;
  /** On one line. */
  readonly json: string;
}

import { Client, escapeIdentifier } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { STATEMENT_TRIGGERS } from '../../platform/partitions/statement-triggers.js';
import type { BackupFiles } from './backup-files.js';
import type { DatabaseDump, DumpedPartition, DumpedTable } from './manifest.js';

/** The table of the migrations, which they fill themselves. */
const OF_MIGRATIONS = 'migrations';

const TABLES = `
SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname <> '${OF_MIGRATIONS}'
  AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
GROUP BY c.relname ORDER BY c.relname`;

const PARTITIONS = `
SELECT parent.relname AS "table", child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bound
FROM pg_inherits i JOIN pg_class parent ON parent.oid = i.inhparent JOIN pg_class child ON child.oid = i.inhrelid
WHERE parent.relnamespace = current_schema()::regnamespace AND parent.relkind = 'p' AND child.relispartition
  AND child.relkind IN ('r', 'p')
ORDER BY 1, 2`;

const PARTITIONED = `
SELECT relname AS name FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'p' AND NOT relispartition ORDER BY 1`;

const SEQUENCES = `
SELECT sequencename AS name, last_value::text AS "lastValue" FROM pg_sequences
WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`;

/** The foreign keys: a referenced table has to be restored first. */
const REFERENCES = `
SELECT DISTINCT a.relname AS "from", b.relname AS "to"
FROM pg_constraint c JOIN pg_class a ON a.oid = c.conrelid JOIN pg_class b ON b.oid = c.confrelid
WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace AND c.conrelid <> c.confrelid`;

/**
 * Dumps all tables in one transaction, and so as of one moment. No partition is dropped meanwhile: a read finds the
 * partitions that there are when it begins, also in a transaction that sees rows as of an earlier moment.
 */
export async function dumpDatabase(url: string, files: BackupFiles): Promise<DatabaseDump> {
  return withClient(url, async (client) => {
    const partitioned = (await client.query<{ name: string }>(PARTITIONED)).rows.map(({ name }) => name);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // This comes before the moment, which is that of the first statement that reads.
    if (partitioned.length > 0) await client.query(`LOCK TABLE ${list(partitioned)} IN ACCESS SHARE MODE`);
    const found = (await client.query<{ name: string; columns: string[] }>(TABLES)).rows;
    const tables: DumpedTable[] = [];
    for (const { name, columns } of found) {
      const source = client.query(copyTo(`COPY (SELECT ${list(columns)} FROM ${escapeIdentifier(name)}) TO STDOUT`));
      await files.save(fileOf(name), source);
      tables.push({ name, columns, rows: source.rowCount });
    }
    const { rows: migrations } = await client.query<{ name: string }>(`SELECT name FROM ${OF_MIGRATIONS} ORDER BY id`);
    return {
      migrations: migrations.map(({ name }) => name),
      tables,
      partitions: (await client.query<DumpedPartition>(PARTITIONS)).rows,
      sequences: (await client.query<DatabaseDump['sequences'][number]>(SEQUENCES)).rows,
    };
  });
}

/** @throws {Error} when the database is not empty. */
export async function requireEmpty(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT 1 FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S') LIMIT 1`,
    );
    if (rows.length > 0) throw new Error('The database is not empty. Restore into a new database.');
  });
}

/** Restores all tables or none. The database must have the same migrations. */
export async function loadDatabase(
  url: string,
  { files, dump }: { files: BackupFiles; dump: DatabaseDump },
): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('BEGIN');
    // Migrations make partitions for the present time, and the dump has those of its own.
    for (const { name } of (await client.query<DumpedPartition>(PARTITIONS)).rows)
      await client.query(`DROP TABLE ${escapeIdentifier(name)}`);
    for (const { table, name, bound } of dump.partitions)
      await client.query(`CREATE TABLE ${escapeIdentifier(name)} PARTITION OF ${escapeIdentifier(table)} ${bound}`);
    const names = dump.tables.map(({ name }) => name);
    // Our triggers ran when the rows were first written, and must not run again.
    for (const name of names) await client.query(`ALTER TABLE ${escapeIdentifier(name)} DISABLE TRIGGER USER`);
    if (names.length > 0) await client.query(`TRUNCATE ${list(names)}`);
    const { rows: references } = await client.query<{ from: string; to: string }>(REFERENCES);
    for (const { name, columns } of inOrder(dump.tables, references)) {
      await files.load(
        fileOf(name),
        client.query(copyFrom(`COPY ${escapeIdentifier(name)} (${list(columns)}) FROM STDIN`)),
      );
    }
    for (const { name, lastValue } of dump.sequences)
      await client.query('SELECT setval($1::regclass, $2)', [escapeIdentifier(name), lastValue]);
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    for (const name of names) await client.query(`ALTER TABLE ${escapeIdentifier(name)} ENABLE TRIGGER USER`);
    for (const { table, name } of dump.partitions) {
      const { rows } = await client.query<{ statement: string }>(STATEMENT_TRIGGERS, [table, name]);
      for (const { statement } of rows) await client.query(statement);
    }
    await client.query('COMMIT');
    await client.query('ANALYZE');
  });
}

/** Returns the path of a table in the backup. */
export const fileOf = (table: string): string => `database/${table}.copy`;

const list = (names: readonly string[]): string => names.map((name) => escapeIdentifier(name)).join(', ');

function inOrder(tables: readonly DumpedTable[], references: readonly { from: string; to: string }[]): DumpedTable[] {
  const waiting = new Map(tables.map((table) => [table.name, table]));
  const ordered: DumpedTable[] = [];
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(
      ({ name }) => !references.some(({ from, to }) => from === name && waiting.has(to)),
    );
    if (next.length === 0) throw new Error(`These tables name each other: ${[...waiting.keys()].join(', ')}.`);
    for (const table of next) {
      waiting.delete(table.name);
      ordered.push(table);
    }
  }
  return ordered;
}

/**
 * Opens a connection without the time limits of requests. An open transaction is rolled back at its end.
 */
async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'service-platform backup' });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

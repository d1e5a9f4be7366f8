/** A question of the shell about the database, with what `$1` is. */
export interface Described {
  readonly title?: string;
  readonly sql: string;
  readonly params?: readonly string[];
}

const OF_TENANT = `n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'`;

const relations = (kinds: string): Described => ({
  sql: `SELECT n.nspname AS schema, c.relname AS name,
      CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'i' THEN 'index'
        WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' END AS type,
      pg_size_pretty(pg_total_relation_size(c.oid)) AS size
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN (${kinds}) AND ${OF_TENANT} ORDER BY 1, 2`,
});

const columnsOf = (name: string): Described => ({
  sql: `SELECT a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
      CASE WHEN a.attnotnull THEN 'not null' ELSE '' END AS nullable,
      coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS default
    FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  params: [name],
});

const indexesOf = (name: string): Described => ({
  title: 'Indexes',
  sql: `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_catalog.pg_index
    WHERE indrelid = $1::text::regclass ORDER BY NOT indisprimary, 1`,
  params: [name],
});

const constraintsOf = (name: string): Described => ({
  title: 'Constraints',
  sql: `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_catalog.pg_constraint
    WHERE (conrelid = $1::text::regclass AND contype IN ('f', 'c')) ORDER BY 1`,
  params: [name],
});

/** Returns the questions of a command such as `\d cats`; undefined if there is no such command. */
export function describe(command: string, name: string | undefined): readonly Described[] | undefined {
  switch (command) {
    case 'd':
      return name === undefined
        ? [relations(`'r', 'p', 'v', 'm', 'S', 'f'`)]
        : [columnsOf(name), indexesOf(name), constraintsOf(name)];
    case 'dt':
      return [relations(`'r', 'p'`)];
    case 'dv':
      return [relations(`'v', 'm'`)];
    case 'di':
      return [relations(`'i'`)];
    case 'dn':
      return [{ sql: `SELECT n.nspname AS schema FROM pg_catalog.pg_namespace n WHERE ${OF_TENANT} ORDER BY 1` }];
    default:
      return undefined;
  }
}

export const HELP = `\\d          tables, views and sequences      \\d <table>  columns, indexes and constraints
\\dt         tables                           \\dv         views
\\di         indexes                          \\dn         schemas
\\x          rows as blocks, or as a table    \\r          forget what was typed
\\write      allow changes, or forbid them    \\q          leave
A statement ends with a semicolon. Each is a transaction of its own.`;

/**
 * What is read of a database to describe it. All names are those of `pg_catalog`, because a tenant may have functions
 * and operators of the same names. Each statement returns one row with one value, which is JSON and bounded.
 */

const OF_TENANT = `n.nspname NOT IN ('pg_catalog', 'information_schema', 'extensions')
  AND n.nspname NOT LIKE 'pg\\_toast%' AND n.nspname NOT LIKE 'pg\\_temp%'`;

const KIND = `CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' WHEN 'v' THEN 'view'
  WHEN 'm' THEN 'materialized_view' ELSE 'foreign_table' END`;

const COLUMNS = `(SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
    'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'nullable', NOT a.attnotnull,
    'default', pg_catalog.left(pg_catalog.pg_get_expr(d.adbin, d.adrelid), 200)) ORDER BY a.attnum)
  FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = t.oid AND a.attnum BETWEEN 1 AND 200 AND NOT a.attisdropped)`;

const INDEXES = `(SELECT pg_catalog.json_agg(i.index) FROM (
    SELECT pg_catalog.json_build_object('name', ic.relname, 'unique', x.indisunique, 'primary', x.indisprimary,
      'definition', pg_catalog.left(pg_catalog.pg_get_indexdef(x.indexrelid), 500)) AS index
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class ic ON ic.oid = x.indexrelid
    WHERE x.indrelid = t.oid ORDER BY ic.relname LIMIT 50) i)`;

export const MAX_TABLES = 300;

export const SCHEMA_STATEMENT = `
  SELECT pg_catalog.json_build_object(
    'schemas', (SELECT pg_catalog.json_agg(s.nspname) FROM (
      SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE ${OF_TENANT} ORDER BY n.nspname LIMIT 100) s),
    'tables', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
        'schema', t.nspname, 'name', t.relname, 'kind', t.kind, 'row_estimate', t.rows, 'size_bytes', t.bytes,
        'columns', ${COLUMNS}, 'indexes', ${INDEXES}))
      FROM (
        SELECT c.oid, n.nspname, c.relname, ${KIND} AS kind,
          CASE WHEN c.reltuples < 0 THEN NULL ELSE c.reltuples::pg_catalog.int8 END AS rows,
          pg_catalog.pg_total_relation_size(c.oid) AS bytes
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${OF_TENANT}
        ORDER BY n.nspname, c.relname LIMIT ${MAX_TABLES + 1}) t))`;

export const STATS_STATEMENT = `
  SELECT pg_catalog.json_build_object(
    'size_bytes', pg_catalog.pg_database_size(d.datname),
    'connections', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a
      WHERE a.datid = d.datid AND a.backend_type = 'client backend' AND a.pid <> pg_catalog.pg_backend_pid()),
    'blocks_hit', d.blks_hit, 'blocks_read', d.blks_read, 'commits', d.xact_commit, 'rollbacks', d.xact_rollback,
    'deadlocks', d.deadlocks, 'temporary_bytes', d.temp_bytes,
    'tables', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
        'schema', t.nspname, 'name', t.relname, 'row_estimate', t.rows, 'size_bytes', t.bytes))
      FROM (
        SELECT n.nspname, c.relname, CASE WHEN c.reltuples < 0 THEN NULL ELSE c.reltuples::pg_catalog.int8 END AS rows,
          pg_catalog.pg_total_relation_size(c.oid) AS bytes
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'm') AND ${OF_TENANT} ORDER BY bytes DESC, n.nspname, c.relname LIMIT 20) t)
  ) FROM pg_catalog.pg_stat_database d WHERE d.datname = pg_catalog.current_database()`;

/**
 * For the service's own database of a server, in which the view is not a tenant's. It fails where the installation of
 * PostgreSQL does not count statements.
 */
export const SLOW_STATEMENTS = `
  SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
      'statement', s.text, 'calls', s.calls, 'rows', s.rows, 'total_ms', s.total, 'mean_ms', s.mean))
  FROM (
    SELECT pg_catalog.left(q.query, 1000) AS text, q.calls, q.rows, q.total_exec_time AS total, q.mean_exec_time AS mean
    FROM extensions.pg_stat_statements q JOIN pg_catalog.pg_roles r ON r.oid = q.userid
    WHERE r.rolname IN ('owner', 'reader')
      AND q.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = 'app')
    ORDER BY q.total_exec_time DESC LIMIT 20) s`;

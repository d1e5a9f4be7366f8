/** What an organization and a row take, in bytes: exact, whatever else the machine does meanwhile. */

/** Rows of these tables, as the service writes them. They refer to nothing that exists. */
const ROWS = {
  usage_events: `SELECT ('0193b3c4-' || lpad(to_hex(n / 65536), 4, '0') || '-7' || lpad(to_hex(n % 4096), 3, '0') ||
      '-8' || substr(md5(n::text), 1, 3) || '-' || substr(md5(n::text), 4, 12))::uuid,
    'org_01jd3m8yeqf5rb0xkq' || lpad((n % 1000)::text, 8, '0'), 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn', 'sandbox_compute', '',
    1500, 'prv_01jd3m8yeqf5rb0xkq5ym8s6tn', 12345, TIMESTAMPTZ '2024-12-11Z', TIMESTAMPTZ '2024-12-11Z', false,
    'sandbox', 'exe_01jd3m8yeqf5rb0xkq' || lpad(n::text, 8, '0'), NULL::jsonb`,
  audit_log: `SELECT 'aud_01jd3m8yeq0000' || lpad(n::text, 12, '0'),
    'org_01jd3m8yeqf5rb0xkq' || lpad((n % 1000)::text, 8, '0'), 'session.started', 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn',
    NULL, 'session', 'ses_01jd3m8yeqf5rb0xkq5ym8s6tn', '198.51.100.7', 'req_01jd3m8yeqf5rb0xkq5ym8s6tn',
    '{"method": "password"}'::jsonb, now()`,
  deploy_log_lines: `SELECT 'dpl_01jd3m8yeqf5rb0xkq' || lpad((n / 200)::text, 8, '0'), n % 200, now(), 'build',
    'stdout', 'added 214 packages, and audited 215 packages in ' || n % 60 || 's'`,
  run_events: `SELECT 'run_01jd3m8yeqf5rb0xkq' || lpad((n / 20)::text, 8, '0'), n % 20, 'tool.succeeded', now(),
    '{"call_id": "tcl_01jd3m8yeqf5rb0xkq5ym8s6tn", "tool": "http_request", "duration_ms": 120}'::jsonb`,
};

/** Creates rows, and returns what one takes with its part of the indexes. */
export async function bytesOfRows(database, count) {
  await database.query('SET session_replication_role = replica');
  await database.query(`CREATE TABLE IF NOT EXISTS usage_events_2024_12 PARTITION OF usage_events
    FOR VALUES FROM ('01937f00-0000-0000-0000-000000000000') TO ('0194f000-0000-0000-0000-000000000000')`);
  const sizes = [];
  for (const [table, select] of Object.entries(ROWS)) {
    const before = await sizeOf(database, table);
    await database.query(`INSERT INTO ${table} ${select} FROM generate_series(1, ${count}) AS n`);
    const after = await sizeOf(database, table);
    const bytes = ([one, other]) => Math.round((Number(other) - Number(one)) / count);
    sizes.push({ table, row: bytes([before.rows, after.rows]), indexes: bytes([before.indexes, after.indexes]) });
  }
  return sizes;
}

/** Copies all rows of an account, under other names, until there are so many accounts; returns the growth in bytes. */
export async function bytesOfOrganizations(database, { account, from, to }) {
  await database.query('SET session_replication_role = replica');
  const before = await sizeOfDatabase(database);
  const { rows: tables } = await database.query(`
    SELECT c.relname AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname NOT IN ('migrations', 'outbox_messages', 'schedule_leases', 'models', 'price_versions')
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
    GROUP BY 1`);
  const copied = {};
  for (const { name, columns } of tables) {
    const list = columns.join(', ');
    const { rowCount } = await database.query(
      `INSERT INTO ${name} (${list})
       SELECT ${list} FROM generate_series(${from}::int, ${to}::int - 1) AS n,
         LATERAL (SELECT to_jsonb(t)::text AS row FROM ${name} AS t WHERE to_jsonb(t)::text ~ $1) AS found,
         LATERAL jsonb_populate_record(NULL::${name},
           regexp_replace(
             replace(
               regexp_replace(found.row, '("[a-z_]*hash": "\\\\\\\\x)[0-9a-f]{32}', '\\1' || md5($2 || n), 'g'),
               $2, $2 || n),
             '([a-z]{3}_[0-9a-z]{18})[0-9a-z]{8}', '\\1' || lpad(n::text, 8, '0'), 'g')::jsonb) AS copy`,
      [account.ids.join('|'), account.name],
    );
    if (rowCount > 0) copied[name] = rowCount / (to - from);
  }
  return { bytes: ((await sizeOfDatabase(database)) - before) / (to - from), rows: copied };
}

async function sizeOf(database, table) {
  await database.query(`VACUUM ${table}`);
  const { rows } = await database.query(
    `SELECT sum(pg_table_size(relid)) AS rows, sum(pg_indexes_size(relid)) AS indexes
     FROM pg_partition_tree($1) WHERE isleaf`,
    [table],
  );
  return rows[0];
}

const sizeOfDatabase = async (database) =>
  Number((await database.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0].bytes);

/** Takes from the limits of so many callers as calls of a day do; returns the memory that Redis needs for one. */
export async function bytesOfLimits(redis, script, { from, to }) {
  const before = await memoryOf(redis);
  const expiresAt = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
  const day = expiresAt.toISOString().slice(0, 10);
  for (let first = from; first < to; first += 500) {
    await Promise.all(
      Array.from({ length: Math.min(500, to - first) }, (_, index) => {
        const id = `01jd3m8yeqf5rb0xkq${String(first + index).padStart(8, '0')}`;
        return script.take({
          burst: { key: `limits:burst:key_${id}`, callsPerSecond: 10, size: 20 },
          counters: [{ key: `limits:calls:${day}:org_${id}`, limit: 100_000 }],
          stamps: [],
          expiresAt,
          cost: 1,
        });
      }),
    );
  }
  return ((await memoryOf(redis)) - before) / (to - from);
}

export const memoryOf = async (redis) => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))[1]);

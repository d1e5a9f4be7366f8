import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  CLUSTER_ID,
  DATABASE_BACKUP_ID,
  DATABASE_HOST_ID,
  DATABASE_OPERATION_ID,
} from '../../modules/databases/databases.ids.js';
import { Ids } from '../../platform/ids/ids.js';
import { SystemClock } from '../../platform/time/clock.js';

/** A host reports every 10 s. */
const RUNNING_HOSTS = `SELECT id FROM database_hosts WHERE seen_at > now() - interval '30 seconds'`;
const BACKED_UP_WITHIN_MS = 3_600_000;
const PAUSE_MS = 500;
/** The file that tells a new host which databases are its own; see `ClusterHome`. */
const HOST_ID_FILE = 'databases.host-id';

/**
 * Stores project databases that are awake, or that have no backup yet, while the service runs. All others are stored
 * since they went to sleep.
 *
 * @returns the names of databases whose last changes are not stored.
 */
export async function storeProjectDatabases(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    if (!(await hasTables(client))) return [];
    await requestBackups(client);
    const deadlineMs = performance.now() + BACKED_UP_WITHIN_MS;
    while (performance.now() < deadlineMs && (await isPending(client))) await sleep(PAUSE_MS);
    const { rows } = await client.query<{ name: string }>(`
      SELECT name FROM databases LEFT JOIN database_archives archive USING (cluster_id)
      WHERE state = 'ready' AND engine = 'own' AND last_active_at IS NOT NULL AND archive.restorable_from IS NULL
      ORDER BY name`);
    return rows.map(({ name }) => name);
  });
}

/**
 * Makes a new host restore the data of all project databases from their backups. Each gets a new cluster, because the
 * log of the old one has ended.
 */
export async function reviveProjectDatabases(url: string, dataDir: string): Promise<number> {
  return withClient(url, async (client) => {
    const ids = new Ids(new SystemClock());
    const hostId = ids.next(DATABASE_HOST_ID);
    await client.query('BEGIN');
    await client.query('DELETE FROM database_hosts');
    await client.query("UPDATE databases SET host_id = $1, activity = 'asleep', connections = 0 WHERE engine = 'own'", [
      hostId,
    ]);
    // What was to be done with data that is gone is not done any more.
    await client.query(`DELETE FROM database_operations WHERE state IN ('pending', 'running')
      AND (SELECT state FROM databases WHERE id = database_id) = 'ready'`);
    await client.query('UPDATE database_operations SET host_id = $1', [hostId]);
    const { rows } = await client.query<{ id: string; clusterId: string; used: boolean }>(`
      SELECT id, cluster_id AS "clusterId", last_active_at IS NOT NULL
        OR EXISTS (SELECT FROM database_backups backup
          WHERE backup.cluster_id = databases.cluster_id AND backup.state = 'ready') AS used FROM databases
      WHERE state = 'ready' AND engine = 'own' ORDER BY id`);
    for (const { id, clusterId, used } of rows) {
      const [kind, state] = used ? ['restore', 'restoring'] : ['create', 'creating'];
      await client.query('UPDATE databases SET cluster_id = $2, state = $3 WHERE id = $1', [
        id,
        ids.next(CLUSTER_ID),
        state,
      ]);
      await client.query(
        `INSERT INTO database_operations (id, database_id, host_id, kind, step, state, input, attempts, next_at,
           created_at)
         VALUES ($1, $2, $3, $4, 0, 'pending', $5, 0, now(), now())`,
        [ids.next(DATABASE_OPERATION_ID), id, hostId, kind, used ? { source_cluster_id: clusterId, at: null } : {}],
      );
    }
    await client.query('COMMIT');
    if (rows.length === 0) return 0;
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, HOST_ID_FILE), `${hostId}\n`, { mode: 0o600 });
    return rows.length;
  });
}

/** A host reports use with a delay, so a database without a backup may have been used a moment ago. */
async function requestBackups(client: Client): Promise<void> {
  const ids = new Ids(new SystemClock());
  const { rows } = await client.query<{ clusterId: string }>(`
    SELECT cluster_id AS "clusterId" FROM databases
    WHERE state = 'ready' AND engine = 'own' AND host_id IN (${RUNNING_HOSTS})
      AND NOT EXISTS (SELECT FROM database_backups WHERE cluster_id = databases.cluster_id AND state = 'pending')
      AND (activity <> 'asleep' OR NOT EXISTS (
        SELECT FROM database_backups WHERE cluster_id = databases.cluster_id AND state = 'ready'))`);
  for (const { clusterId } of rows)
    await client.query(
      `INSERT INTO database_backups (id, cluster_id, kind, state, attempt, part_bytes, created_at)
       VALUES ($1, $2, 'manual', 'pending', 0, '{}', now())`,
      [ids.next(DATABASE_BACKUP_ID), clusterId],
    );
}

async function isPending(client: Client): Promise<boolean> {
  const { rows } = await client.query(`
    SELECT FROM database_backups backup JOIN databases USING (cluster_id)
    WHERE backup.state = 'pending' AND databases.state = 'ready' AND databases.host_id IN (${RUNNING_HOSTS}) LIMIT 1`);
  return rows.length > 0;
}

/** A backup may be made before an earlier release was upgraded. */
async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>("SELECT to_regclass('database_archives') IS NOT NULL AS has");
  return rows[0]!.has;
}

async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

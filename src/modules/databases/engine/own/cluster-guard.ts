import { guardStatements } from '../read-only-guard.js';
import { runAll } from './cluster-questions.js';
import type { ClusterServer } from './cluster-server.js';

/** Temporary tables take space, and nothing would bound what a reader puts into them. */
const RIGHTS = 'REVOKE TEMPORARY ON DATABASE app FROM reader';
/** The service asks for statements here, where tenants have no names. */
const STATISTICS = [
  'CREATE SCHEMA IF NOT EXISTS extensions',
  'CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA extensions',
];

/** Makes sure that readers of a cluster change nothing. `platform` must be let into the tenant's database. */
export async function guardCluster(server: ClusterServer, countsStatements: boolean): Promise<void> {
  await server.asPlatform((client) => runAll(client, [RIGHTS, ...(countsStatements ? STATISTICS : [])]));
  await server.asPlatform((client) => runAll(client, guardStatements({ owner: 'owner', reader: 'reader' })), {
    database: 'app',
  });
}

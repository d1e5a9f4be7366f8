import assert from 'node:assert';
import type { DatabaseRole } from '../database-engine.js';

const CLUSTER = /^clu_[0-9a-z]{26}$/;

/** The names of a database and its roles on the operator's server. They hold nothing that needs quotes. */
export interface TenantNames {
  readonly database: string;
  readonly owner: string;
  readonly reader: string;
}

export function namesOf(clusterId: string): TenantNames {
  assert(CLUSTER.test(clusterId), 'not the id of a cluster');
  return { database: clusterId, owner: `${clusterId}_owner`, reader: `${clusterId}_reader` };
}

/** The service itself asks the operator's server, so no connection is opened as its role. */
export function isTenantRole(role: string): role is Exclude<DatabaseRole, 'platform'> {
  return role === 'owner' || role === 'reader';
}

import type { Scope } from '../auth/scopes.js';

/** What happens in an organization, with the scope that a caller needs to learn of it. */
export const SCOPE_OF_EVENT = {
  'deploy.queued': 'deploys:read',
  'deploy.initializing': 'deploys:read',
  'deploy.building': 'deploys:read',
  'deploy.deploying': 'deploys:read',
  'deploy.ready': 'deploys:read',
  'deploy.error': 'deploys:read',
  'deploy.canceled': 'deploys:read',
  'deploy.skipped': 'deploys:read',
  'deploy.live': 'deploys:read',
  'database.created': 'databases:read',
  'database.ready': 'databases:read',
  'database.failed': 'databases:read',
  'database.over_quota': 'databases:read',
  'database.deleted': 'databases:read',
  'execution.finished': 'sandbox:execute',
  'invoice.finalized': 'billing:read',
  'invoice.paid': 'billing:read',
  'invoice.overdue': 'billing:read',
  'invoice.voided': 'billing:read',
  'invoice.corrected': 'billing:read',
  'spend.warning': 'billing:read',
  'budget.warning': 'billing:read',
  'run.waiting': 'agents:read',
  'run.succeeded': 'agents:read',
  'run.failed': 'agents:read',
  'run.cancelled': 'agents:read',
  'run.timed_out': 'agents:read',
  'swarm.stalled': 'agents:read',
  'swarm.succeeded': 'agents:read',
  'swarm.failed': 'agents:read',
  'bucket.created': 'storage:read',
  'bucket.deleted': 'storage:read',
  'storage.full': 'storage:read',
  'webhook_endpoint.paused': 'orgs:write',
} as const satisfies Readonly<Record<string, Scope>>;

export type EventType = keyof typeof SCOPE_OF_EVENT;

export const EVENT_TYPES = Object.keys(SCOPE_OF_EVENT) as readonly EventType[];

import type { WebhookEndpoint } from '@service/client';
import type { ReactNode } from 'react';

export type EventType = WebhookEndpoint['types'][number];

/** Each type once, in groups; the compiler finds a type that is missing. */
const TYPES: Readonly<Record<EventType, string>> = {
  'deploy.queued': 'Deploys',
  'deploy.initializing': 'Deploys',
  'deploy.building': 'Deploys',
  'deploy.deploying': 'Deploys',
  'deploy.ready': 'Deploys',
  'deploy.error': 'Deploys',
  'deploy.canceled': 'Deploys',
  'deploy.skipped': 'Deploys',
  'deploy.live': 'Deploys',
  'database.created': 'Databases',
  'database.ready': 'Databases',
  'database.failed': 'Databases',
  'database.over_quota': 'Databases',
  'database.deleted': 'Databases',
  'execution.finished': 'Sandbox',
  'invoice.finalized': 'Money',
  'invoice.paid': 'Money',
  'invoice.overdue': 'Money',
  'invoice.voided': 'Money',
  'invoice.corrected': 'Money',
  'spend.warning': 'Money',
  'budget.warning': 'Money',
  'run.waiting': 'Agents',
  'run.succeeded': 'Agents',
  'run.failed': 'Agents',
  'run.cancelled': 'Agents',
  'run.timed_out': 'Agents',
  'swarm.stalled': 'Agents',
  'swarm.succeeded': 'Agents',
  'swarm.failed': 'Agents',
  'bucket.created': 'Storage',
  'bucket.deleted': 'Storage',
  'storage.full': 'Storage',
  'webhook_endpoint.paused': 'Webhooks',
  'audit_log.recorded': 'Audit log',
};
const ALL = Object.keys(TYPES) as readonly EventType[];
const GROUPS = [...new Set(Object.values(TYPES))];

interface EventTypesProps {
  /** Empty for all but the audit log, those that are added later too. */
  readonly chosen: readonly EventType[];
  readonly onChange: (chosen: readonly EventType[]) => void;
}

/** Which events an endpoint gets. */
export function EventTypes({ chosen, onChange }: EventTypesProps): ReactNode {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Events</legend>
      <p className="text-muted mb-2 text-sm">
        Without a choice: all but the audit log, and those that are added later.
      </p>
      <div className="border-line grid max-h-56 gap-3 overflow-y-auto rounded-md border p-3">
        {GROUPS.map((group) => (
          <div key={group}>
            <h3 className="text-muted text-xs font-medium">{group}</h3>
            {ALL.filter((type) => TYPES[type] === group).map((type) => (
              <label key={type} className="flex min-h-6 cursor-pointer items-center gap-2">
                <input
                  type="checkbox"
                  className="size-4 accent-[var(--accent)]"
                  checked={chosen.includes(type)}
                  onChange={({ target }) => {
                    onChange(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type));
                  }}
                />
                <span className="font-mono text-xs">{type}</span>
              </label>
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}

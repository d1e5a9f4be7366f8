import type { EventDefinition, SubscriptionDefinition } from './define-event.js';
import type { JobDefinition } from './define-job.js';
import type { ScheduleDefinition } from './define-schedule.js';
import type { WorkDefinition } from './handles.js';

/** Everything that the `*.job.ts` files of the modules declare. */
export interface BackgroundDeclarations {
  readonly jobs: readonly JobDefinition<object>[];
  readonly events: readonly EventDefinition<object>[];
  readonly subscriptions: readonly SubscriptionDefinition<object>[];
  readonly schedules: readonly ScheduleDefinition[];
}

/** The single list of what the service does in the background, in any process. The roles assemble it. */
export class BackgroundCatalog {
  /** Everything that needs a handler. */
  readonly work: readonly WorkDefinition[];

  /** @throws {Error} when two declarations share a name, or a subscription names an event that is not declared. */
  constructor(readonly declared: BackgroundDeclarations) {
    const { jobs, subscriptions, schedules, events } = declared;
    this.work = [...jobs, ...subscriptions, ...schedules];
    const names = this.work.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`Two pieces of background work have the name ${twice}.`);
    const orphan = subscriptions.find(({ event }) => !events.includes(event));
    if (orphan !== undefined)
      throw new Error(`${orphan.name} subscribes to ${orphan.event.name}, which is not in the catalog.`);
  }

  subscriptionsOf<Payload extends object>(event: EventDefinition<Payload>): readonly SubscriptionDefinition<Payload>[] {
    return this.declared.subscriptions.filter(
      (each): each is SubscriptionDefinition<Payload> => each.event.name === event.name,
    );
  }
}

export const isSchedule = (work: WorkDefinition): work is ScheduleDefinition => 'everyMs' in work;

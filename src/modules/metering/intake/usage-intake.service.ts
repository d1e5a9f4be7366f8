import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { PriceCatalog } from '../prices/price-catalog.js';
import { monthOf } from '../month.js';
import { UsagePartitions } from '../recording/usage-partitions.js';
import type { UsageEvent } from '../usage-event.js';
import { UsageService } from '../usage.service.js';
import { type EventFault, readEvent } from './read-event.js';
import { UsageOwners } from './usage-owners.js';

export type RefusedEvent = EventFault & {
  /** The index in the request, from 0. */
  readonly index: number;
};

interface TakenEvents {
  /** How many events are recorded now. */
  readonly accepted: number;
  /** How many events were recorded before. */
  readonly duplicates: number;
  readonly rejected: readonly RefusedEvent[];
}

/** Takes usage from trusted sources. Each event is accepted or rejected on its own. */
@Injectable()
export class UsageIntakeService {
  constructor(
    private readonly usage: UsageService,
    private readonly owners: UsageOwners,
    private readonly prices: PriceCatalog,
    private readonly partitions: UsagePartitions,
    private readonly clock: Clock,
  ) {}

  async take(given: readonly unknown[]): Promise<TakenEvents> {
    const now = this.clock.now();
    const rejected: RefusedEvent[] = [];
    const sound: { index: number; event: UsageEvent }[] = [];
    given.forEach((one, index) => {
      const read = readEvent(one, now);
      if ('code' in read) rejected.push({ index, ...read });
      else sound.push({ index, event: read });
    });
    const judge = await this.judge(sound.map(({ event }) => event));
    const taken = sound.filter(({ index, event }) => {
      const fault = judge(event);
      if (fault !== undefined) rejected.push({ index, ...fault });
      return fault === undefined;
    });
    const recorded = await this.usage.record(taken.map(({ event }) => event));
    const accepted = recorded.filter(({ isNew }) => isNew).length;
    return {
      accepted,
      duplicates: recorded.length - accepted,
      rejected: rejected.sort((one, other) => one.index - other.index),
    };
  }

  /** Returns a check that an event has an existing organization, project and price, and a month that takes events. */
  private async judge(events: readonly UsageEvent[]): Promise<(event: UsageEvent) => EventFault | undefined> {
    const owners = await this.owners.find(
      new Set(events.map(({ orgId }) => orgId)),
      new Set(events.flatMap(({ projectId }) => projectId ?? [])),
    );
    const prices = await this.prices.current();
    const archived = await this.partitions.archivedOf(new Set(events.map(({ occurredAt }) => monthOf(occurredAt))));
    return ({ orgId, projectId, meter, model, occurredAt }) => {
      if (!owners.hasOrg(orgId))
        return { code: 'organization_not_found', field: 'org_id', message: 'Organization not found' };
      if (typeof projectId === 'string' && !owners.hasProject(projectId, orgId))
        return { code: 'project_not_found', field: 'project_id', message: 'Project not found in this organization' };
      if (prices.find({ orgId, meter, model }, occurredAt) === undefined)
        return {
          code: 'price_not_found',
          field: model === null ? 'meter' : 'model',
          message: 'No price for this meter and model at that time',
        };
      if (archived.size > 0 && archived.has(monthOf(occurredAt).name))
        return { code: 'too_old', field: 'occurred_at', message: 'Events of that month are in the archive' };
      return undefined;
    };
  }
}

import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgEventPayload } from '../org-event.job.js';
import { EventsStore } from '../persistence/events.store.js';
import { EventSignals } from '../streams/event-signals.js';
import { orgEventSubscription } from './events.job.js';

@Injectable()
@Handles(orgEventSubscription)
export class OrgEventProcessor implements JobHandler<OrgEventPayload> {
  constructor(
    private readonly events: EventsStore,
    private readonly signals: EventSignals,
  ) {}

  async handle({ orgId, at, ...event }: OrgEventPayload): Promise<void> {
    await this.events.insert(orgId, { ...event, at: new Date(at) });
    await this.signals.notify(orgId);
  }
}

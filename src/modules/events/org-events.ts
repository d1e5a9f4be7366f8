import { Injectable } from '@nestjs/common';
import { Ids } from '../../platform/ids/ids.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import type { EventType } from './event-types.js';
import { ORG_EVENT_ID } from './events.ids.js';
import { orgEvent } from './org-event.job.js';

/** What happened, in the fields that callers see. */
export interface OrgHappening {
  readonly orgId: string;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Announces what happens in organizations. */
@Injectable()
export class OrgEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Announces it in the running transaction: it is announced exactly when it has happened. */
  async publish(...happenings: readonly OrgHappening[]): Promise<void> {
    const at = this.clock.now().toISOString();
    await this.outbox.publishAll(
      orgEvent,
      happenings.map((happening) => ({ id: this.ids.next(ORG_EVENT_ID), at, ...happening })),
    );
  }
}

import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { OrgEvents } from '../../events/org-events.js';
import { type SpendWarningPayload, spendWarningJob } from '../jobs/spend-warning.job.js';

/** Announces, in the running transaction, that a part of a spend cap is used. */
@Injectable()
export class SpendWarnings {
  constructor(
    private readonly outbox: Outbox,
    private readonly events: OrgEvents,
  ) {}

  async announce({ orgId, month, level }: SpendWarningPayload): Promise<void> {
    await this.outbox.enqueue(spendWarningJob, { orgId, month, level });
    await this.events.publish({ orgId, type: 'spend.warning', data: { month: month.slice(0, 7), level } });
  }
}

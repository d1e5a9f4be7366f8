import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { OrgEvents } from '../../events/org-events.js';
import { type SpendWarningPayload, spendWarningJob } from '../jobs/spend-warning.job.js';
import type { ReachedBudget } from './purse-budgets.js';

/** A budget of one piece of work ends with it, and the work itself says when it waits for more. */
const LASTING: readonly string[] = ['key', 'project', 'agent'];

/** Announces, in the running transaction, that a part of a spend cap or of a budget is used. */
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

  async announceBudgets(reached: readonly (ReachedBudget & { readonly orgId: string })[]): Promise<void> {
    const lasting = reached.filter(({ subject }) => LASTING.includes(subject.slice(0, subject.indexOf(':'))));
    if (lasting.length === 0) return;
    await this.events.publish(
      ...lasting.map(({ orgId, subject, window, period, level, spentNano, limitNano }) => ({
        orgId,
        type: 'budget.warning' as const,
        data: { subject, window, period, level, spent: formatUsd(spentNano), limit: formatUsd(limitNano) },
      })),
    );
  }
}

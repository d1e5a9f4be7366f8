import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgEvents } from '../../events/org-events.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { overdueInvoicesSchedule } from './billing.job.js';

/** Payment providers do not repeat an event after this time. */
const EVENTS_KEPT_MS = 90 * 86_400_000;

/** Marks unpaid invoices as overdue, and deletes payment events that no provider repeats any more. */
@Injectable()
@Handles(overdueInvoicesSchedule)
export class OverdueInvoicesTimer implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly events: OrgEvents,
    private readonly payments: PaymentsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    await this.markOverdue(now);
    await this.payments.deleteEventsBefore(new Date(now.getTime() - EVENTS_KEPT_MS));
  }

  private markOverdue(now: Date): Promise<void> {
    return this.database.transaction(async () => {
      const overdue = await this.invoices.markOverdue(now);
      await this.events.publish(
        ...overdue.map(({ id, orgId }) => ({ orgId, type: 'invoice.overdue', data: { invoice_id: id } }) as const),
      );
    });
  }
}

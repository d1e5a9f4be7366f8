import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
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
    private readonly invoices: InvoicesStore,
    private readonly payments: PaymentsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    await this.invoices.markOverdue(now);
    await this.payments.deleteEventsBefore(new Date(now.getTime() - EVENTS_KEPT_MS));
  }
}

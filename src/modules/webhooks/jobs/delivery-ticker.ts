import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { DeliveryAttempts } from '../deliveries/delivery-attempts.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import { webhookDeliveriesSchedule } from './webhooks.job.js';

/** Longer than any attempt takes: a delivery whose worker died is due again after this time. */
const CLAIM_MS = 60_000;
const PER_ENDPOINT = 2;
const PER_ORG = 6;
const BATCH = 50;

/** Takes deliveries that are due, and begins their attempts. */
@Injectable()
@Handles(webhookDeliveriesSchedule)
export class DeliveryTicker implements ScheduleHandler {
  constructor(
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly attempts: DeliveryAttempts,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const limit = Math.min(BATCH, this.attempts.room);
      if (limit <= 0) return;
      const { now } = this.attempts;
      const until = new Date(now.getTime() + CLAIM_MS);
      const claimed = await this.deliveries.claim({ now, until, perEndpoint: PER_ENDPOINT, perOrg: PER_ORG, limit });
      for (const delivery of claimed) this.attempts.begin(delivery);
      if (claimed.length < limit) return;
    }
  }
}

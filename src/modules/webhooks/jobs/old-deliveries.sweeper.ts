import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import { oldDeliveriesSchedule } from './webhooks.job.js';

const KEPT_MS = 7 * 86_400_000;
const BATCH = 1_000;

@Injectable()
@Handles(oldDeliveriesSchedule)
export class OldDeliveriesSweeper implements ScheduleHandler {
  constructor(
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.deliveries.deleteOlderThan(before, limit), { size: BATCH, stopping });
  }
}

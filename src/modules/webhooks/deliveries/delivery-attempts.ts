import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { WebhookDelivery } from '../persistence/webhook-rows.js';
import { MessageDelivery } from './message-delivery.js';

const MAX_AT_ONCE = 100;

/** Runs the attempts of this process side by side, and ends them with the process. */
@Injectable()
export class DeliveryAttempts {
  private readonly active = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly attempt: MessageDelivery,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', async () => {
      this.stopping.abort();
      await Promise.all(this.active);
    });
  }

  get room(): number {
    return this.stopping.signal.aborted ? 0 : MAX_AT_ONCE - this.active.size;
  }

  get now(): Date {
    return this.clock.now();
  }

  begin(delivery: WebhookDelivery): void {
    const run = this.attempt
      .run(delivery, this.stopping.signal)
      .catch((error: unknown) => {
        // The claim expires, and the delivery is due again.
        this.log.warn({ error, deliveryId: delivery.id }, 'An attempt to deliver a webhook failed.');
      })
      .finally(() => {
        this.active.delete(run);
      });
    this.active.add(run);
  }
}

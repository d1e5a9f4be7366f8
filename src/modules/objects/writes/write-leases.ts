import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ReservationsStore } from '../persistence/reservations.store.js';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 15_000;

/** Keeps the reservations of this process's running writes. Those of a dead process end with their lease. */
@Injectable()
export class WriteLeases {
  private readonly held = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reservations: ReservationsStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('database', () => {
      clearInterval(this.timer);
    });
  }

  until(): Date {
    return new Date(this.clock.now().getTime() + LEASE_MS);
  }

  /** Renews the lease until the returned function is called. */
  hold(id: string): () => void {
    this.held.add(id);
    this.timer ??= setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
    return () => {
      this.held.delete(id);
    };
  }

  private async renew(): Promise<void> {
    if (this.held.size === 0) return;
    try {
      await this.reservations.renew([...this.held], this.until());
    } catch (error) {
      // A write whose lease has ended fails when it is to be stored.
      this.log.warn({ error }, 'The leases of running writes were not renewed. It is tried again.');
    }
  }
}

import { Injectable } from '@nestjs/common';
import { Clock, nextUtcMidnight, utcDay } from '../../platform/time/clock.js';
import type { ClientAddress } from './client-address.js';
import { LimitScript } from './counting/limit-script.js';

const SITE_FACTOR = 10;

export interface Allowance {
  readonly granted: boolean;
  readonly remaining: number;
  readonly resetsAt: Date;
}

/**
 * An allowance for each UTC day and address, such as the anonymous sandbox runs. It is stored in Redis, so that a
 * restart forgets nothing, and it fails closed: without Redis nothing is granted.
 */
@Injectable()
export class DailyAllowanceService {
  constructor(
    private readonly script: LimitScript,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes one before the work begins.
   *
   * @throws {Error} when Redis is unavailable, which is answered with 503.
   */
  async take(name: string, address: ClientAddress, perDay: number): Promise<Allowance> {
    const now = this.clock.now();
    const resetsAt = nextUtcMidnight(now);
    const keys = this.keysOf(name, address, now);
    const limits = [perDay, perDay * SITE_FACTOR];
    const { refusedBy, used } = await this.script.take({
      burst: undefined,
      counters: keys.map((key, index) => ({ key, limit: limits[index]! })),
      stamps: [],
      expiresAt: resetsAt,
      cost: 1,
    });
    return { granted: refusedBy === undefined, remaining: remainingOf(perDay, refusedBy, used[0]!), resetsAt };
  }

  /** Returns one that was taken for work that failed on our side. `takenAt` selects the day that it was taken from. */
  async giveBack(name: string, address: ClientAddress, takenAt: Date): Promise<void> {
    await this.script.giveBack(this.keysOf(name, address, takenAt));
  }

  private keysOf(name: string, { network, site }: ClientAddress, at: Date): string[] {
    const prefix = `allowance:${name}:${utcDay(at)}`;
    return site === undefined ? [`${prefix}:${network}`] : [`${prefix}:${network}`, `${prefix}:${site}`];
  }
}

/** A network has nothing left when its site has nothing left, whatever its own counter says. */
const remainingOf = (perDay: number, refusedBy: unknown, used: number): number =>
  refusedBy === undefined ? Math.max(0, perDay - used) : 0;

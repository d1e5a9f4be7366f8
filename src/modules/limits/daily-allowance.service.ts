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
 * So many of something a UTC day for one address, the anonymous sandbox for one. It is in Redis, so that a restart
 * forgets nothing; without Redis nothing is granted.
 */
@Injectable()
export class DailyAllowanceService {
  constructor(
    private readonly script: LimitScript,
    private readonly clock: Clock,
  ) {}

  /** Takes one before the work begins. @throws {Error} of Redis being away, which is answered 503. */
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

  /** For work that the platform, not the caller, failed. `takenAt` names the day that it was taken from. */
  async giveBack(name: string, address: ClientAddress, takenAt: Date): Promise<void> {
    await this.script.giveBack(this.keysOf(name, address, takenAt));
  }

  private keysOf(name: string, { network, site }: ClientAddress, at: Date): string[] {
    const prefix = `allowance:${name}:${utcDay(at)}`;
    return site === undefined ? [`${prefix}:${network}`] : [`${prefix}:${network}`, `${prefix}:${site}`];
  }
}

/** A network whose site is used up has nothing left, whatever its own counter says. */
const remainingOf = (perDay: number, refusedBy: unknown, used: number): number =>
  refusedBy === undefined ? Math.max(0, perDay - used) : 0;

import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock, secondsUntil } from '../../../platform/time/clock.js';
import type { ClientAddress } from '../../limits/client-address.js';
import { DailyAllowanceService } from '../../limits/daily-allowance.service.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { SandboxDailyLimitExceeded } from '../sandbox.errors.js';
import { SandboxSettings } from '../sandbox.settings.js';

const ALLOWANCE = 'sandbox';

export interface CountedRun {
  readonly countedAt: Date;
  /** Runs left today for the caller's address. */
  readonly remaining: number;
}

/** Counts the anonymous runs of each address per UTC day (service document §8). */
@Injectable()
export class AnonymousQuota {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly settings: SandboxSettings,
    private readonly allowances: DailyAllowanceService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @throws {SandboxDailyLimitExceeded} `sandbox_daily_limit_exceeded` */
  async count(address: ClientAddress): Promise<CountedRun> {
    const countedAt = this.clock.now();
    const limit = this.settings.executionsPerDay;
    const { granted, remaining, resetsAt } = await this.allowances.take(ALLOWANCE, address, limit);
    if (granted) return { countedAt, remaining };
    throw new SandboxDailyLimitExceeded({
      policy: 'sandbox_daily',
      limit,
      remaining,
      resetsAt,
      retryAfterSeconds: Math.max(1, secondsUntil(resetsAt, countedAt)),
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }

  /** Refunds a run that the platform failed to complete. It never throws. */
  async refund(address: ClientAddress, { countedAt }: CountedRun): Promise<void> {
    await this.allowances.giveBack(ALLOWANCE, address, countedAt).catch((error: unknown) => {
      this.log.error({ error }, 'An anonymous sandbox execution could not be refunded.');
    });
  }
}

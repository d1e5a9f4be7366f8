import { Injectable } from '@nestjs/common';
import { Clock, nextUtcMidnight } from '../../../platform/time/clock.js';
import { CreditBalanceService } from '../../credits/credit-balance.service.js';
import type { BudgetAccount } from '../../limits/budget-account.js';
import { CallBudgetService } from '../../limits/call-budget.service.js';
import { monthOf } from '../../metering/month.js';
import { type UsageReportLine, UsageReportService } from '../../metering/usage-report.service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TOP = 5;

export interface Forecast {
  readonly calls: {
    /** Null when calls are unlimited; then the next two are null as well. */
    readonly limit: number | null;
    readonly used: number | null;
    readonly remaining: number | null;
    readonly perHour: number | null;
    /** Undefined when the calls last until {@link resetsAt}. */
    readonly runOutAt: Date | undefined;
    readonly resetsAt: Date;
  };
  readonly credits: {
    readonly balanceNano: bigint;
    readonly heldNano: bigint;
    readonly perDayNano: bigint;
    readonly runOutAt: Date | undefined;
  };
  readonly month: { readonly costNano: bigint; readonly projectedNano: bigint };
  /** The usage of the last day, the most expensive first. */
  readonly top: readonly (UsageReportLine & { readonly share: number })[];
}

/** Forecasts when calls and credits run out at the current rate. */
@Injectable()
export class ForecastService {
  constructor(
    private readonly budgets: CallBudgetService,
    private readonly credits: CreditBalanceService,
    private readonly report: UsageReportService,
    private readonly clock: Clock,
  ) {}

  /**
   * The rate of calls is that of the UTC day, because calls are limited by day. The rate of costs is that of the last
   * 24 hours.
   */
  async of(orgId: string, account: BudgetAccount): Promise<Forecast> {
    const now = this.clock.now();
    const thisHourMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
    const to = new Date(thisHourMs + HOUR_MS);
    const month = monthOf(now);
    // A part of the first hour is older than a day. It stands for the rest of the current hour.
    const lastDay = await this.report.of(
      orgId,
      { from: new Date(thisHourMs - DAY_MS + HOUR_MS), to },
      new Set(['model', 'project']),
    );
    const costNano = sumOf(await this.report.of(orgId, { from: month.start, to }, new Set()));
    const perDayNano = sumOf(lastDay);
    return {
      calls: await this.callsOf(account, now),
      credits: await this.creditsOf(orgId, perDayNano, now),
      month: {
        costNano,
        projectedNano: costNano + (perDayNano * BigInt(month.end.getTime() - now.getTime())) / BigInt(DAY_MS),
      },
      top: lastDay
        .filter((line) => line.costNano > 0n)
        .slice(0, TOP)
        .map((line) => ({ ...line, share: Number((line.costNano * 10_000n) / perDayNano) / 10_000 })),
    };
  }

  private async callsOf(account: BudgetAccount, now: Date): Promise<Forecast['calls']> {
    const { remaining } = await this.budgets.look(account);
    const resetsAt = nextUtcMidnight(now);
    const limit = account.tier.callsPerDay;
    if (limit === null) return { limit, used: null, remaining: null, perHour: null, runOutAt: undefined, resetsAt };
    const used = limit - remaining;
    // Without the minimum, a single call early in the day would give a rate.
    const passedMs = Math.max(HOUR_MS, now.getTime() - (resetsAt.getTime() - DAY_MS));
    const runOutAt =
      remaining === 0 ? now : used === 0 ? undefined : new Date(now.getTime() + (remaining / used) * passedMs);
    return {
      limit,
      used,
      remaining,
      perHour: (used / passedMs) * HOUR_MS,
      runOutAt: runOutAt !== undefined && runOutAt < resetsAt ? runOutAt : undefined,
      resetsAt,
    };
  }

  private async creditsOf(orgId: string, perDayNano: bigint, now: Date): Promise<Forecast['credits']> {
    const { balanceNano, heldNano } = await this.credits.of(orgId);
    return {
      balanceNano,
      heldNano,
      perDayNano,
      runOutAt: perDayNano === 0n ? undefined : timeAfter(now, (balanceNano * BigInt(DAY_MS)) / perDayNano),
    };
  }
}

const sumOf = (lines: readonly UsageReportLine[]): bigint => lines.reduce((sum, { costNano }) => sum + costNano, 0n);

/** Returns undefined for more than ten years, which needs no forecast. */
const timeAfter = (now: Date, ms: bigint): Date | undefined =>
  ms > 3_650n * BigInt(DAY_MS) ? undefined : new Date(now.getTime() + Number(ms));

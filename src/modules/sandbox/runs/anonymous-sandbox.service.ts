import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock, secondsUntil } from '../../../platform/time/clock.js';
import type { ClientAddress } from '../../limits/client-address.js';
import { type ConcurrencyLimit, ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { DailyAllowanceService } from '../../limits/daily-allowance.service.js';
import { OUTPUT_BYTES, type SandboxLimits } from '../domain/sandbox-runtime.js';
import { SandboxConcurrencyLimitExceeded, SandboxDailyLimitExceeded } from '../sandbox.errors.js';
import { EXECUTION_ID } from '../sandbox.ids.js';
import { type Execution, type CreateExecutionInput, longestExecutionMs, SandboxService } from './sandbox.service.js';

const ALLOWANCE = 'sandbox';
/** One address must not hold the sandbox of all others. */
const RUNS_AT_ONCE = 2;

export interface AnonymousExecution {
  readonly execution: Execution;
  /** Runs left today for the caller's address. */
  readonly remaining: number;
}

/** The sandbox for callers without an account: ten runs a UTC day for one address (service document §8). */
@Injectable()
export class AnonymousSandboxService {
  private readonly limits: SandboxLimits;
  private readonly atOnce: ConcurrencyLimit;

  constructor(
    private readonly planSettings: PlansSettings,
    private readonly settings: SandboxSettings,
    private readonly sandbox: SandboxService,
    private readonly allowances: DailyAllowanceService,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const { timeoutMs, memoryBytes } = settings;
    this.limits = { timeoutMs, memoryBytes, outputBytes: OUTPUT_BYTES };
    this.atOnce = { name: 'sandbox', places: RUNS_AT_ONCE, lifetimeMs: longestExecutionMs(this.limits) };
  }

  /**
   * Runs code for somebody without an account. The run is counted before it begins and given back when the platform,
   * not the code, failed. When `signal` is aborted the run is ended and stays counted.
   *
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {SandboxDailyLimitExceeded} `sandbox_daily_limit_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`; nothing is counted.
   */
  async try(input: CreateExecutionInput, address: ClientAddress, signal: AbortSignal): Promise<AnonymousExecution> {
    await this.sandbox.requireRoom();
    const place = this.ids.next(EXECUTION_ID);
    if (!(await this.concurrency.take(this.atOnce, address.network, place))) throw this.tooManyAtOnce();
    try {
      return await this.runCounted(input, address, signal);
    } finally {
      await this.concurrency.end(this.atOnce, address.network, place);
    }
  }

  /**
   * The limits that a run would have, when there is room for one. @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async rehearse(): Promise<SandboxLimits> {
    await this.sandbox.requireRoom();
    return this.limits;
  }

  private async runCounted(
    input: CreateExecutionInput,
    address: ClientAddress,
    signal: AbortSignal,
  ): Promise<AnonymousExecution> {
    const takenAt = this.clock.now();
    const remaining = await this.take(address, takenAt);
    try {
      return { execution: await this.sandbox.execute(input, this.limits, signal), remaining };
    } catch (error) {
      if (!(error instanceof CallerHungUp)) await this.giveBack(address, takenAt);
      throw error;
    }
  }

  private async take(address: ClientAddress, now: Date): Promise<number> {
    const limit = this.settings.executionsPerDay;
    const { granted, remaining, resetsAt } = await this.allowances.take(ALLOWANCE, address, limit);
    if (granted) return remaining;
    throw new SandboxDailyLimitExceeded({
      policy: 'sandbox_daily',
      limit,
      remaining,
      resetsAt,
      retryAfterSeconds: Math.max(1, secondsUntil(resetsAt, now)),
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }

  private tooManyAtOnce(): SandboxConcurrencyLimitExceeded {
    return new SandboxConcurrencyLimitExceeded('IP address', {
      policy: 'sandbox_concurrency',
      limit: RUNS_AT_ONCE,
      remaining: 0,
      resetsAt: new Date(this.clock.now().getTime() + 1_000),
      retryAfterSeconds: 1,
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }

  private async giveBack(address: ClientAddress, takenAt: Date): Promise<void> {
    await this.allowances.giveBack(ALLOWANCE, address, takenAt).catch((error: unknown) => {
      this.log.error({ error }, 'A sandbox execution could not be given back.');
    });
  }
}

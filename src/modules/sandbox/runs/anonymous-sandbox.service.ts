import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ClientAddress } from '../../limits/client-address.js';
import { type ConcurrencyLimit, ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { OUTPUT_BYTES, type SandboxLimits } from '../domain/sandbox-runtime.js';
import { SandboxConcurrencyLimitExceeded } from '../sandbox.errors.js';
import { EXECUTION_ID } from '../sandbox.ids.js';
import { AnonymousQuota, type CountedRun } from './anonymous-quota.js';
import { type AnonymousExecutionInput, type Execution, longestExecutionMs, SandboxService } from './sandbox.service.js';

/** One address must not occupy the sandbox of all others. */
const MAX_CONCURRENT_RUNS = 2;

export interface AnonymousExecution {
  readonly id: string;
  /** Rejects with {@link SandboxUnavailable}, and with the reason of an aborted signal. */
  readonly ended: Promise<Execution>;
  /** Runs left today for the caller's address. */
  readonly remaining: number;
}

/** The sandbox for callers without an account: ten runs per UTC day for each address (service document §8). */
@Injectable()
export class AnonymousSandboxService {
  private readonly limits: SandboxLimits;
  private readonly atOnce: ConcurrencyLimit;

  constructor(
    { timeoutMs, memoryBytes }: SandboxSettings,
    private readonly planSettings: PlansSettings,
    private readonly sandbox: SandboxService,
    private readonly quota: AnonymousQuota,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    this.limits = { timeoutMs, memoryBytes, outputBytes: OUTPUT_BYTES };
    this.atOnce = { name: 'sandbox', places: MAX_CONCURRENT_RUNS, lifetimeMs: longestExecutionMs(this.limits) };
  }

  /**
   * Admits and runs code for an unauthenticated caller. The run is counted before it starts, and refunded when the
   * platform, not the code, fails. An aborted `signal` ends the run, which stays counted.
   *
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {SandboxDailyLimitExceeded} `sandbox_daily_limit_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`; nothing is counted.
   */
  async begin(
    input: AnonymousExecutionInput,
    address: ClientAddress,
    signal: AbortSignal,
  ): Promise<AnonymousExecution> {
    await this.sandbox.requireRoom(address, input.queueTimeoutMs);
    const id = this.ids.next(EXECUTION_ID);
    const free = (): Promise<void> => this.concurrency.end(this.atOnce, address.network, id);
    const counted = await this.admit(id, address, free);
    const ended = this.sandbox.execute({ id, address }, input, this.limits, signal).catch(async (error: unknown) => {
      if (!(error instanceof CallerHungUp)) await this.quota.refund(address, counted);
      throw error;
    });
    // The caller need not wait for it: what this process asks of Redis next comes after it.
    return { id, ended: ended.finally(() => void free()), remaining: counted.remaining };
  }

  /**
   * Returns the limits of a run, if one could be admitted now.
   *
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async rehearse({ queueTimeoutMs }: AnonymousExecutionInput, address: ClientAddress): Promise<SandboxLimits> {
    await this.sandbox.requireRoom(address, queueTimeoutMs);
    return this.limits;
  }

  /** Asks for both in one round trip, as a run takes hardly longer than one. What is refused counts as neither. */
  private async admit(id: string, address: ClientAddress, free: () => Promise<void>): Promise<CountedRun> {
    const [place, counted] = await Promise.allSettled([
      this.concurrency.take(this.atOnce, address.network, id),
      this.quota.count(address),
    ]);
    const hasPlace = place.status === 'fulfilled' && place.value;
    if (hasPlace && counted.status === 'fulfilled') return counted.value;
    if (hasPlace) await free();
    if (counted.status === 'fulfilled') await this.quota.refund(address, counted.value);
    if (place.status === 'rejected') throw place.reason;
    if (!place.value) throw this.tooManyAtOnce();
    throw (counted as PromiseRejectedResult).reason;
  }

  private tooManyAtOnce(): SandboxConcurrencyLimitExceeded {
    return new SandboxConcurrencyLimitExceeded('IP address', {
      policy: 'sandbox_concurrency',
      limit: MAX_CONCURRENT_RUNS,
      remaining: 0,
      resetsAt: new Date(this.clock.now().getTime() + 1_000),
      retryAfterSeconds: 1,
      upgradeUrl: this.planSettings.pricingUrl,
    });
  }
}

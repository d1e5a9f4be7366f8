import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { Ids } from '../../platform/ids/ids.js';
import { Log } from '../../platform/logging/log.js';
import { AwaitedJobs } from '../../platform/queues/awaited-jobs.js';
import { Clock, secondsUntil } from '../../platform/time/clock.js';
import type { ClientAddress } from '../limits/client-address.js';
import { DailyAllowanceService } from '../limits/daily-allowance.service.js';
import { sandboxQueue } from './jobs/sandbox.queue.js';
import type { Language, SandboxLimits, SandboxOutcome } from './sandbox-runtime.js';
import { SandboxStatusService } from './sandbox-status.service.js';
import { SandboxDailyLimitExceeded, SandboxUnavailable } from './sandbox.errors.js';

const ALLOWANCE = 'sandbox';
const OUTPUT_BYTES = 1_048_576;
/** What a run may wait for a free worker before its caller is told to come back. */
const MAX_QUEUE_WAIT_MS = 10_000;
/** From the end of a run until its result is here. */
const RETURN_MS = 2_000;

export interface ExecutionWish {
  readonly language: Language;
  readonly code: string;
  readonly stdin: string;
}

export interface Execution {
  readonly id: string;
  readonly language: Language;
  readonly outcome: SandboxOutcome;
}

export interface AnonymousExecution {
  readonly execution: Execution;
  /** Runs left today for the caller's address. */
  readonly remaining: number;
}

/** Runs code for callers who wait for it. */
@Injectable()
export class SandboxService {
  private readonly anonymousLimits: SandboxLimits;

  constructor(
    private readonly config: Config,
    private readonly status: SandboxStatusService,
    private readonly allowances: DailyAllowanceService,
    private readonly jobs: AwaitedJobs,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const { timeoutMs, memoryBytes } = config.sandbox;
    this.anonymousLimits = { timeoutMs, memoryBytes, outputBytes: OUTPUT_BYTES };
  }

  /**
   * Runs code for somebody without an account. The run is counted before it begins and given back when the platform,
   * not the code, failed.
   *
   * @throws {SandboxDailyLimitExceeded} `sandbox_daily_limit_exceeded` (service document §8).
   * @throws {SandboxUnavailable} `sandbox_unavailable`; nothing is counted.
   */
  async try(wish: ExecutionWish, address: ClientAddress): Promise<AnonymousExecution> {
    await this.requireWorkers();
    const takenAt = this.clock.now();
    const remaining = await this.take(address, takenAt);
    try {
      return { execution: await this.execute(wish, this.anonymousLimits), remaining };
    } catch (error) {
      await this.giveBack(address, takenAt);
      throw error;
    }
  }

  /** @throws {SandboxUnavailable} when the platform could not run the code or lost the run. */
  private async execute({ language, code, stdin }: ExecutionWish, limits: SandboxLimits): Promise<Execution> {
    const id = this.ids.next('exe');
    const startBeforeMs = this.clock.now().getTime() + MAX_QUEUE_WAIT_MS;
    try {
      const job = { executionId: id, language, code, stdin, limits, startBeforeMs };
      const outcome = await this.jobs.run<typeof job, SandboxOutcome>(sandboxQueue, job, MAX_QUEUE_WAIT_MS + limits.timeoutMs + RETURN_MS);
      return { id, language, outcome };
    } catch (error) {
      throw error instanceof DomainError ? error : new SandboxUnavailable([], error);
    }
  }

  private async requireWorkers(): Promise<void> {
    const status = await this.status.status();
    if (!status.available) throw new SandboxUnavailable(status.missing);
  }

  private async take(address: ClientAddress, now: Date): Promise<number> {
    const limit = this.config.sandbox.executionsPerDay;
    const { granted, remaining, resetsAt } = await this.allowances.take(ALLOWANCE, address, limit);
    if (granted) return remaining;
    throw new SandboxDailyLimitExceeded({
      policy: 'sandbox_daily',
      limit,
      remaining,
      resetsAt,
      retryAfterSeconds: Math.max(1, secondsUntil(resetsAt, now)),
      upgradeUrl: this.config.pricingUrl,
    });
  }

  private async giveBack(address: ClientAddress, takenAt: Date): Promise<void> {
    await this.allowances.giveBack(ALLOWANCE, address, takenAt).catch((error: unknown) => {
      this.log.error({ error }, 'A sandbox execution could not be given back.');
    });
  }
}

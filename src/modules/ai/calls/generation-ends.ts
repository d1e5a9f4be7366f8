import { Injectable } from '@nestjs/common';
import { DatabaseRetry } from '../../../platform/database/database-retry.js';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { GenerationOutcome, UsageSource } from '../domain/generation-state.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { TokenUsage } from '../domain/token-usage.js';
import { AiMetrics } from '../metrics/ai.metrics.js';
import type { GenerationStart } from '../persistence/generation.entity.js';
import { GenerationsStore } from '../persistence/generations.store.js';
import { CallBilling } from './call-billing.js';

const TOKENS_OF_PRICE = 1_000_000n;

/** How a generation ended, and what it used. */
export interface GenerationEnd {
  readonly outcome: GenerationOutcome;
  readonly finishReason: string | undefined;
  readonly usageSource: UsageSource;
  readonly tokens: TokenUsage;
  readonly firstByteMs: number | null;
}

/** Ends generations. Each end is written and paid for once, in one transaction. */
@Injectable()
export class GenerationEnds {
  constructor(
    private readonly database: Database,
    private readonly generations: GenerationsStore,
    private readonly billing: CallBilling,
    private readonly retry: DatabaseRetry,
    private readonly metrics: AiMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Remembers what runs, in case that this process is lost. It never throws. */
  async begin(start: GenerationStart): Promise<void> {
    await this.generations.begin(start).catch((error: unknown) => {
      this.log.warn({ generationId: start.id, error }, 'A running generation could not be written down.');
    });
  }

  /**
   * Charges what was used, and returns its price in nano-dollars. It retries for a minute while the database is
   * unavailable; after that, the sweeper of lost generations settles.
   */
  settle(start: GenerationStart, end: GenerationEnd, model?: OfferedModel): Promise<bigint> {
    return this.retry.run(() => this.settleOnce(start, end, model));
  }

  /** Ends a generation that generated nothing. It costs nothing. */
  async release(id: string): Promise<void> {
    await this.retry.run(() =>
      this.database.transaction(async () => {
        await this.billing.release(id);
        await this.generations.forget(id);
      }),
    );
  }

  private async settleOnce(start: GenerationStart, end: GenerationEnd, model?: OfferedModel): Promise<bigint> {
    const { tokens, firstByteMs } = end;
    const costNano = await this.database.transaction(async () => {
      const charged = (await this.billing.charge(start, tokens)) ?? 0n;
      await this.generations.end({
        id: start.id,
        orgId: start.orgId,
        userId: start.userId,
        keyId: start.keyId,
        projectId: start.projectId,
        protocol: start.protocol,
        model: start.model,
        router: start.router,
        upstreamId: start.upstreamId,
        streamed: start.streamed,
        billedTo: start.billedTo,
        outcome: end.outcome,
        finishReason: end.finishReason?.slice(0, 100) ?? null,
        usageSource: end.usageSource,
        inputTokens: String(tokens.input ?? 0),
        outputTokens: String(tokens.output ?? 0),
        cacheReadTokens: String(tokens.cache_read ?? 0),
        cacheWriteTokens: String(tokens.cache_write ?? 0),
        costNano: String(charged),
        firstByteMs,
        createdAt: start.createdAt,
        finishedAt: this.clock.now(),
      });
      return charged;
    });
    this.metrics.ended(start.protocol, end.outcome);
    const isOurs = start.billedTo === 'credits';
    this.metrics.charged(tokens, costNano, model === undefined || !isOurs ? null : upstreamCostOf(model, tokens));
    return costNano;
  }
}

function upstreamCostOf({ upstreamPricesNano: prices }: OfferedModel, tokens: TokenUsage): bigint | null {
  if (prices === null) return null;
  const { input = 0n } = prices;
  const nano =
    BigInt(tokens.input ?? 0) * input +
    BigInt(tokens.output ?? 0) * (prices.output ?? 0n) +
    BigInt(tokens.cache_read ?? 0) * (prices.cache_read ?? input) +
    BigInt(tokens.cache_write ?? 0) * (prices.cache_write ?? input);
  return nano / TOKENS_OF_PRICE;
}

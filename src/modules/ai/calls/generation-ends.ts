import { Injectable } from '@nestjs/common';
import { DatabaseRetry } from '../../../platform/database/database-retry.js';
import { Database } from '../../../platform/database/database.js';
import { GatheringWriter, type Outcome } from '../../../platform/database/gathering-writer.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { GenerationOutcome, UsageSource } from '../domain/generation-state.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { TokenUsage } from '../domain/token-usage.js';
import { AiMetrics } from '../metrics/ai.metrics.js';
import type { Generation, GenerationStart } from '../persistence/generation.entity.js';
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

/** An end that is to be written. */
interface Settlement {
  readonly orgId: string;
  readonly start: GenerationStart;
  readonly end: GenerationEnd;
}

const LANES = 2;
/** Ends are written by the hundred, because each transaction has its own statements and its own commit. */
const MAX_BATCH = 200;

/**
 * Begins and ends generations. Each end is written and paid for once, in one transaction with those that arrive at the
 * same time.
 */
@Injectable()
export class GenerationEnds {
  private readonly starts: GatheringWriter<GenerationStart, void>;
  private readonly settlements: GatheringWriter<Settlement, bigint>;

  constructor(
    private readonly database: Database,
    private readonly generations: GenerationsStore,
    private readonly billing: CallBilling,
    private readonly retry: DatabaseRetry,
    private readonly metrics: AiMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const batches = {
      keyOf: ({ orgId }: { readonly orgId: string }) => orgId,
      ...{ lanes: LANES, writersOfLane: 1, maxBatch: MAX_BATCH },
    };
    this.starts = new GatheringWriter<GenerationStart, void>({
      ...batches,
      write: async (starts) => {
        await this.generations.begin(starts);
        return starts.map(() => ({ answer: undefined }));
      },
    });
    this.settlements = new GatheringWriter<Settlement, bigint>({ ...batches, write: (all) => this.settleAll(all) });
  }

  /** Remembers what runs, in case that this process is lost. It never throws. */
  async begin(start: GenerationStart): Promise<void> {
    await this.starts.write(start).catch((error: unknown) => {
      this.log.warn({ generationId: start.id, error }, 'A running generation could not be written down.');
    });
  }

  /**
   * Charges what was used, and returns its price in nano-dollars. It retries for a minute while the database is
   * unavailable; after that, the sweeper of lost generations settles.
   */
  async settle(start: GenerationStart, end: GenerationEnd, model?: OfferedModel): Promise<bigint> {
    const { orgId, billedTo, protocol } = start;
    const costNano = await this.retry.run(() => this.settlements.write({ orgId, start, end }));
    this.metrics.ended(protocol, end.outcome);
    const upstreamNano = model === undefined || billedTo !== 'credits' ? null : upstreamCostOf(model, end.tokens);
    this.metrics.charged(end.tokens, costNano, upstreamNano);
    return costNano;
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

  private async settleAll(settlements: readonly Settlement[]): Promise<Outcome<bigint>[]> {
    return this.database.transaction(async () => {
      const charged = await this.billing.chargeAll(
        settlements.map(({ start, end: { tokens } }) => ({ generation: start, tokens })),
      );
      const costs = charged.map((costNano = 0n) => costNano);
      const finishedAt = this.clock.now();
      await this.generations.end(
        settlements.map(({ start, end }, index) => generationOf(start, end, { costNano: costs[index]!, finishedAt })),
      );
      return costs.map((answer) => ({ answer }));
    });
  }
}

function generationOf(
  {
    id,
    orgId,
    userId,
    keyId,
    projectId,
    protocol,
    model,
    router,
    upstreamId,
    streamed,
    billedTo,
    createdAt,
  }: GenerationStart,
  { outcome, finishReason, usageSource, tokens, firstByteMs }: GenerationEnd,
  { costNano, finishedAt }: { costNano: bigint; finishedAt: Date },
): Generation {
  return {
    id,
    orgId,
    userId,
    keyId,
    projectId,
    protocol,
    model,
    router,
    upstreamId,
    streamed,
    billedTo,
    outcome,
    finishReason: finishReason?.slice(0, 100) ?? null,
    usageSource,
    inputTokens: String(tokens.input ?? 0),
    outputTokens: String(tokens.output ?? 0),
    cacheReadTokens: String(tokens.cache_read ?? 0),
    cacheWriteTokens: String(tokens.cache_write ?? 0),
    costNano: String(costNano),
    firstByteMs,
    createdAt,
    finishedAt,
  };
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

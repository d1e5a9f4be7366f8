import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import type { UsageSource } from '../domain/generation-state.js';
import type { TokenUsage } from '../domain/token-usage.js';
import type { ModelRouter } from '../routers/model-router.js';
import type { AnswerFacts } from '../usage/answer-reader.js';
import type { OpenedGeneration } from './opened-generation.js';
import { apiKeyFor } from './org-rules.js';

/** A router does not know a generation at once. These are the pauses before it is asked, a minute in all. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 28_000];
/** Estimates are about one and a half times of what tokenizers count for ordinary text. */
const COUNTED = { numerator: 2, denominator: 3 };

export interface FoundUsage {
  readonly tokens: TokenUsage;
  readonly usageSource: UsageSource;
}

/** Finds out what a generation has used. */
@Injectable()
export class GenerationUsage {
  constructor(private readonly log: Log) {}

  /**
   * Takes the usage in the answer, or asks the router, or counts.
   *
   * @returns undefined when nothing was generated.
   * @throws the reason of the signal, when it is aborted before the router has answered.
   */
  async of(
    opened: OpenedGeneration,
    facts: AnswerFacts,
    {
      upstreamId,
      wasCancelled,
      signal,
    }: { upstreamId: string | undefined; wasCancelled: boolean; signal: AbortSignal },
  ): Promise<FoundUsage | undefined> {
    if (facts.tokens !== undefined) return { tokens: facts.tokens, usageSource: 'stream' };
    const { router } = opened;
    const apiKey = apiKeyFor(opened.rules, opened.sent.model);
    if (router.traits.keepsUsage && upstreamId !== undefined) {
      const tokens = await this.ask(router, { upstreamId, apiKey, signal });
      if (tokens !== undefined) return { tokens, usageSource: 'router' };
    }
    if (facts.countedOutput === 0 && !wasCancelled && (facts.hasFailed || !facts.isComplete)) return undefined;
    return { tokens: counted(opened, facts), usageSource: 'counted' };
  }

  private async ask(
    router: ModelRouter,
    { upstreamId, apiKey, signal }: { upstreamId: string; apiKey: string | undefined; signal: AbortSignal },
  ): Promise<TokenUsage | undefined> {
    for (const pauseMs of PAUSES_MS) {
      await sleep(pauseMs, undefined, { signal });
      try {
        const usage = await router.usageOf(upstreamId, signal, apiKey);
        if (usage !== undefined) return usage.tokens;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        this.log.debug(
          { router: router.id, error },
          'A model router could not be asked for the usage of a generation.',
        );
      }
    }
    return undefined;
  }
}

/** What we count is an upper estimate, and callers pay two thirds of it. */
function counted({ priced, request, sent }: OpenedGeneration, { countedOutput }: AnswerFacts): TokenUsage {
  const { numerator, denominator } = COUNTED;
  const input = Math.min(priced.inputTokens, sent.model.contextTokens ?? Number.MAX_SAFE_INTEGER);
  const most = (priced.limits.maxTokens ?? 0) * request.choices;
  return {
    input: Math.ceil((input * numerator) / denominator),
    output: Math.min(most, Math.ceil((countedOutput * numerator) / denominator)),
  };
}

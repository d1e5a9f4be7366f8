import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { UpstreamFailed } from '../ai.errors.js';
import type { TokenUsage } from '../domain/token-usage.js';
import { AiMetrics } from '../metrics/ai.metrics.js';
import { TextsKeeper } from '../retention/texts-keeper.js';
import type { AnswerFacts, AnswerReader } from '../usage/answer-reader.js';
import { ANSWER_FORMS } from '../usage/forms/answer-forms.js';
import { JsonAnswer } from '../usage/json-answer.js';
import { UsageFrame } from '../usage/usage-frame.js';
import type { AnswerSink } from './answer-sink.js';
import { GenerationEnds } from './generation-ends.js';
import { GenerationUsage } from './generation-usage.js';
import { type OpenedGeneration, startOf } from './opened-generation.js';

/** So many answers are read to their end for callers who left. Further ones are stopped, and counted. */
const MAX_DRAINS = 512;
/** The caller gets the end of an answer without its price when the database takes longer. */
const PRICED_WITHIN_MS = 5_000;
/** At the end of the process, streams end this long before requests are cut off. */
const SETTLED_WITHIN_MS = 2_000;
const SHUTDOWN_LOOK_EVERY_MS = 500;
/** A larger answer without a stream is broken off. */
const MAX_WHOLE_BYTES = 64 * 1_048_576;

/** What became of an answer. */
export interface RunResult {
  /** What it cost, if that was known in time. */
  readonly costNano: bigint | undefined;
  /** Undefined when the router has not reported it with the answer. */
  readonly usedTokens: number | undefined;
}

/**
 * Reads answers of models to their end, passes them on, and charges for them. A caller who leaves pays for what was
 * generated: the answer is stopped where that stops the bill, and otherwise read to its end.
 */
@Injectable()
export class GenerationRuns {
  private readonly running = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private drains = 0;

  constructor(
    private readonly usage: GenerationUsage,
    private readonly ends: GenerationEnds,
    private readonly texts: TextsKeeper,
    private readonly metrics: AiMetrics,
    private readonly shutdown: Shutdown,
    private readonly log: Log,
  ) {
    // What callers have left behind ends before the database closes.
    shutdown.at('workers', async () => {
      this.stopping.abort(new Error('The process stops.'));
      await Promise.allSettled(this.running);
    });
  }

  /** Resolves when the caller has everything. The bill may take longer, when the router has to be asked. */
  run(opened: OpenedGeneration, sink: AnswerSink): Promise<RunResult> {
    const { id, call, request, rules } = opened;
    if (rules.policy.retentionDays === null) return this.track(this.runToEnd(opened, sink));
    const kept = { id, orgId: call.org.id, fields: request.fields };
    return this.track(this.texts.keep(kept, sink, (recording) => this.runToEnd(opened, recording)));
  }

  private async runToEnd(opened: OpenedGeneration, sink: AnswerSink): Promise<RunResult> {
    const { id, sent, priced } = opened;
    sink.begin({
      generationId: id,
      model: sent.model.id,
      maxTokens: priced.limits.maxTokens,
      contentType: sent.response.contentType,
    });
    const reading = new Reading(opened, sink, this.ends);
    const hasBroken = await this.read(reading);
    const { facts, isFailed, wasCancelled } = reading.close(hasBroken);
    const usedTokens = facts.tokens && sumOf(facts.tokens);
    endSpan(opened, facts, isFailed && !wasCancelled);
    if (facts.tokens !== undefined) this.estimated(opened, facts);
    const settling = this.track(this.settle(reading, { facts, isFailed, wasCancelled }));
    if (isFailed && !wasCancelled) {
      await sink.write(reading.reader.end(undefined));
      sink.fail(new UpstreamFailed(sent.model.id, id));
      return { costNano: undefined, usedTokens };
    }
    // Only a price that is known at once is waited for.
    const costNano = facts.tokens === undefined ? undefined : await within(settling, PRICED_WITHIN_MS);
    if (!sink.hangUp.aborted)
      await sink.write(reading.reader.end(costNano === undefined ? undefined : formatUsd(costNano)));
    return { costNano, usedTokens };
  }

  /** Returns true when the answer broke off, or was stopped. */
  private async read(reading: Reading): Promise<boolean> {
    const { opened, sink, reader } = reading;
    const look = (): void => {
      this.lookAtCaller(reading);
    };
    const watch = setInterval(() => {
      if (this.shutdown.isDraining && this.shutdown.requestsLeftMs < SETTLED_WITHIN_MS) reading.stop();
    }, SHUTDOWN_LOOK_EVERY_MS).unref();
    sink.hangUp.addEventListener('abort', look);
    look();
    try {
      for await (const chunk of opened.sent.response.body as AsyncIterable<Buffer>) {
        const out = reader.push(chunk);
        reading.took(chunk.length);
        if (sink.hangUp.aborted) look();
        else if (out.length > 0) await sink.write(out);
      }
      return false;
    } catch (error) {
      this.log.debug({ generationId: opened.id, error }, 'An answer of a model broke off.');
      return true;
    } finally {
      clearInterval(watch);
      sink.hangUp.removeEventListener('abort', look);
      if (reading.isDrained) this.metrics.draining(--this.drains);
    }
  }

  /** Decides what happens to an answer without a caller. */
  private lookAtCaller(reading: Reading): void {
    if (!reading.sink.hangUp.aborted || reading.isStopped) return;
    const { traits } = reading.opened.router;
    const isToldLater = traits.hangUpStopsBilling && traits.keepsUsage && reading.upstreamId !== undefined;
    if (isToldLater || reading.isFree || (!reading.isDrained && this.drains >= MAX_DRAINS)) {
      reading.stop();
    } else if (!reading.isDrained) {
      reading.isDrained = true;
      this.metrics.draining(++this.drains);
    }
  }

  private async settle(
    { opened, upstreamId, remembered }: Reading,
    { facts, isFailed, wasCancelled }: Pick<Closed, 'facts' | 'isFailed' | 'wasCancelled'>,
  ): Promise<bigint | undefined> {
    const start = startOf(opened, upstreamId);
    try {
      await remembered;
      const { signal } = this.stopping;
      const found = await this.usage.of(opened, facts, { upstreamId, wasCancelled, signal });
      if (found === undefined) {
        await this.ends.release(start.id);
        this.metrics.ended(start.protocol, 'failed');
        return undefined;
      }
      return await this.ends.settle(
        start,
        {
          ...found,
          outcome: wasCancelled ? 'cancelled' : isFailed ? 'failed' : 'succeeded',
          finishReason: facts.finishReason,
          firstByteMs: opened.sent.firstByteMs,
        },
        opened.sent.model,
      );
    } catch (error) {
      this.log.error({ generationId: opened.id, error }, 'A generation could not be settled; the sweeper settles it.');
      return undefined;
    }
  }

  private estimated({ priced }: OpenedGeneration, { tokens = {} }: AnswerFacts): void {
    const input = (tokens.input ?? 0) + (tokens.cache_read ?? 0) + (tokens.cache_write ?? 0);
    if (input > 0) this.metrics.estimated(priced.inputTokens / input);
  }

  private track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
    return tracked;
  }
}

/** Nothing of the request or the answer is recorded but its counts. */
function endSpan({ span, sent }: OpenedGeneration, { tokens, finishReason }: AnswerFacts, isFailed: boolean): void {
  span.set({
    'gen_ai.response.model': sent.model.id,
    'gen_ai.usage.input_tokens': tokens && (tokens.input ?? 0) + (tokens.cache_read ?? 0) + (tokens.cache_write ?? 0),
    'gen_ai.usage.output_tokens': tokens && (tokens.output ?? 0),
    'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
  });
  if (isFailed) span.fail('upstream_error');
  span.end();
}

const sumOf = (tokens: TokenUsage): number => Object.values(tokens).reduce((sum, count) => sum + count, 0);

interface Closed {
  readonly facts: AnswerFacts;
  readonly isFailed: boolean;
  readonly wasCancelled: boolean;
}

/** An answer that is being read. */
class Reading {
  readonly reader: AnswerReader;
  /** True while it is read although its caller has left. */
  isDrained = false;
  isStopped = false;
  upstreamId: string | undefined;
  /** Resolves when another process could settle the generation. */
  remembered: Promise<void> = Promise.resolve();
  private readonly isStream: boolean;
  private bytes = 0;

  constructor(
    readonly opened: OpenedGeneration,
    readonly sink: AnswerSink,
    private readonly ends: GenerationEnds,
  ) {
    const { request, sent } = opened;
    this.isStream = sent.response.contentType.startsWith('text/event-stream');
    const form = ANSWER_FORMS[request.protocol];
    this.reader = this.isStream ? new UsageFrame({ form, showsUsage: request.showsUsage }) : new JsonAnswer(form);
    this.upstreamId = sent.response.generationId;
  }

  get isFree(): boolean {
    return Object.values(this.opened.sent.model.pricesNano).every((nano) => nano === 0n);
  }

  took(bytes: number): void {
    const isFirst = this.bytes === 0;
    this.bytes += bytes;
    if (this.isStream) this.upstreamId ??= this.reader.facts.generationId;
    else if (this.bytes > MAX_WHOLE_BYTES) this.stop();
    if (isFirst) this.remembered = this.ends.begin(startOf(this.opened, this.upstreamId));
  }

  stop(): void {
    this.isStopped = true;
    this.opened.abort.abort(new Error('The answer is not read any further.'));
  }

  close(hasBroken: boolean): Closed {
    const { facts } = this.reader;
    const hasEnd = this.isStream ? facts.isComplete || facts.finishReason !== undefined : !hasBroken;
    // After the usage, nothing is missing.
    const isFailed = facts.hasFailed || !hasEnd || (hasBroken && facts.tokens === undefined);
    return {
      facts: hasBroken ? { ...facts, isComplete: false } : facts,
      isFailed,
      wasCancelled: this.sink.hangUp.aborted,
    };
  }
}

/** Returns undefined when the work takes longer. It goes on. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { Injectable } from '@nestjs/common';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { GENERATION_ID } from '../ai.ids.js';
import type { AnswerHead, AnswerSink } from './answer-sink.js';
import { type AllowedRequest, CallPlanning } from './call-planning.js';
import { CallBilling, type PricedCall } from './call-billing.js';
import type { CallRequest } from './call-request.js';
import { OrgCallLimits } from './org-call-limits.js';
import { GenerationOpener } from './generation-opener.js';
import { GenerationRuns, type RunResult } from './generation-runs.js';
import type { HeldCall } from './opened-generation.js';
import { billedTo } from './org-rules.js';

/** An answer without a stream. */
export interface WholeAnswer {
  readonly head: AnswerHead;
  readonly body: Buffer;
  /** Undefined when the router does not tell the usage, or the price was not written in time. It is charged later. */
  readonly costNano: bigint | undefined;
}

/** Calls models for organizations: holds the price, sends, passes the answer on, and charges for what was used. */
@Injectable()
export class ModelCallsService {
  constructor(
    private readonly planning: CallPlanning,
    private readonly billing: CallBilling,
    private readonly limits: OrgCallLimits,
    private readonly opener: GenerationOpener,
    private readonly runs: GenerationRuns,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the most that a call would cost, if it could begin now. Nothing is held.
   *
   * @throws as {@link stream}, but for what models refuse.
   */
  async rehearse(call: Call, request: CallRequest): Promise<PricedCall> {
    const { rules, inputTokens } = await this.planning.read(call, request);
    const plan = await this.planning.plan(request, rules);
    const id = this.ids.next(GENERATION_ID);
    return this.billing.rehearse({ id, call, plan, request, inputTokens, billedTo: billedTo(rules, plan) });
  }

  /**
   * Sends the answer to the sink while it is generated. The sink begins only when a model has begun to answer. Returns
   * what it has cost, if that is known in time.
   *
   * @throws {RequestInvalid} `invalid_request`
   * @throws {SecretInPrompt} `secret_in_prompt`
   * @throws {ModelNotAllowed} `model_not_allowed`
   * @throws {ProviderKeyRefused} `provider_key_refused`
   * @throws {RequestRefusedByModel} `invalid_request`
   * @throws {ModelRouterNotConfigured} `model_router_not_configured`
   * @throws {ModelNotFound} `model_not_found`
   * @throws {ModelUnavailable} `model_unavailable`
   * @throws {ModelConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {TokenRateLimitExceeded} `token_rate_limit_exceeded`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async stream(call: Call, request: CallRequest, sink: AnswerSink): Promise<Pick<RunResult, 'costNano'>> {
    return this.run(call, request, sink);
  }

  /**
   * Returns the whole answer.
   *
   * @throws {UpstreamFailed} `upstream_error`, and as {@link stream}.
   */
  async complete(call: Call, request: CallRequest, hangUp: AbortSignal): Promise<WholeAnswer> {
    const whole = new WholeSink(hangUp);
    const { costNano } = await this.run(call, request, whole);
    if (whole.failure !== undefined) throw whole.failure;
    if (hangUp.aborted) throw new CallerHungUp();
    return { head: whole.head!, body: whole.body, costNano };
  }

  private async run(call: Call, request: CallRequest, sink: AnswerSink): Promise<RunResult> {
    const begunMs = performance.now();
    const allowed = await this.planning.read(call, request);
    const admitted = { id: this.ids.next(GENERATION_ID), tokens: allowed.inputTokens + mostOutputOf(request) };
    await this.limits.enter(call.org, admitted);
    // Until a model answers, nothing is used.
    let used: number | undefined = 0;
    try {
      const held = await this.hold(call, request, { id: admitted.id, ...allowed, begunMs });
      const opened = await this.opener.open(held);
      used = undefined;
      const result = await this.runs.run(opened, sink);
      used = result.usedTokens;
      return result;
    } finally {
      await this.limits.leave(call.org, admitted, used);
    }
  }

  private async hold(
    call: Call,
    request: CallRequest,
    { id, rules, inputTokens, begunMs }: Pick<HeldCall, 'id' | 'begunMs'> & AllowedRequest,
  ): Promise<HeldCall> {
    const plan = await this.planning.plan(request, rules);
    const createdAt = this.clock.now();
    const payer = billedTo(rules, plan);
    const priced = await this.billing.hold({ id, call, plan, request, inputTokens, billedTo: payer });
    return { id, call, request, rules, plan, priced, billedTo: payer, createdAt, begunMs };
  }
}

/** What a call without a limit of its own counts for until its end. Its answer may be longer. */
const USUAL_OUTPUT_TOKENS = 1_000;

const mostOutputOf = ({ protocol, maxTokens, choices }: CallRequest): number =>
  protocol === 'embeddings' ? 0 : (maxTokens ?? USUAL_OUTPUT_TOKENS) * choices;

class WholeSink implements AnswerSink {
  head: AnswerHead | undefined;
  failure: DomainError | undefined;
  private readonly chunks: Buffer[] = [];

  constructor(readonly hangUp: AbortSignal) {}

  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }

  begin(head: AnswerHead): void {
    this.head = head;
  }

  write(bytes: Buffer): Promise<void> {
    this.chunks.push(bytes);
    return Promise.resolve();
  }

  fail(error: DomainError): void {
    this.failure = error;
  }
}

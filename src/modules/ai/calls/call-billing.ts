import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { keyFor } from '../../../platform/secrets/sealed.js';
import type { Call } from '../../auth/caller.js';
import type { Credential } from '../../auth/principal.js';
import { keySubject, projectSubject } from '../../credits/budget-subject.js';
import type { PaidWork, WorkEstimate } from '../../credits/paid-work.js';
import { PaidWorkService } from '../../credits/paid-work.service.js';
import type { TokenKind } from '../../metering/meter.js';
import type { UsageEvent } from '../../metering/usage-event.js';
import type { BilledTo } from '../domain/billed-to.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { TokenUsage } from '../domain/token-usage.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { CallLimits, CallRequest } from './call-request.js';

const METER = 'ai_tokens';
const DEFAULT_OUTPUT_TOKENS = 8_192;
/** An answer that the credits would cut off after fewer tokens is refused instead. */
const MIN_OUTPUT_TOKENS = 16;
/** Longer than any call runs and is settled, so that the hold of a lost one is found before it expires. */
const HELD_MS = 25 * 60_000;
const TOKENS_OF_PRICE = 1_000_000n;

/** A call whose highest price is known. */
export interface PricedCall {
  readonly limits: Omit<CallLimits, 'capsPrice' | 'zeroRetention'>;
  readonly inputTokens: number;
  readonly maxCostNano: bigint;
}

interface Admitted {
  /** Identifies the work. */
  readonly id: string;
  readonly call: Call;
  readonly plan: RoutePlan;
  readonly request: CallRequest;
  readonly inputTokens: number;
  readonly billedTo: BilledTo;
}

/** Holds and charges what calls of models cost: all kinds of their tokens as one piece of work. */
@Injectable()
export class CallBilling {
  private readonly userKey: Buffer;

  constructor(
    private readonly database: Database,
    private readonly paidWork: PaidWorkService,
    config: Config,
  ) {
    this.userKey = keyFor('users of model routers', config.apiKeyPeppers[0]!.secret);
  }

  /**
   * Returns the most that the call would cost, if it could begin now. Nothing is held.
   *
   * @throws as {@link hold}.
   */
  rehearse(admitted: Admitted): Promise<PricedCall> {
    return this.database.rehearse(() => this.hold(admitted));
  }

  /**
   * Holds the price of the estimated input and of the longest answer, of the dearest model that may answer. If the
   * caller does not limit the answer, the credits do. If the organization pays its provider, only budgets hold it.
   *
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async hold(admitted: Admitted): Promise<PricedCall> {
    const { plan, request } = admitted;
    const outputTokens = request.protocol === 'embeddings' ? undefined : (request.maxTokens ?? defaultOutputOf(plan));
    try {
      return await this.begin(admitted, outputTokens);
    } catch (refusal) {
      const covered = request.maxTokens === undefined ? coveredBy(refusal, admitted) : 0;
      if (outputTokens === undefined || covered < MIN_OUTPUT_TOKENS || covered >= outputTokens) throw refusal;
      return this.begin(admitted, covered);
    }
  }

  private async begin(
    { id, call, plan, request, inputTokens, billedTo }: Admitted,
    maxTokens: number | undefined,
  ): Promise<PricedCall> {
    const { org, principal } = call;
    const outputTokens = (maxTokens ?? 0) * request.choices;
    const estimates = await Promise.all(
      plan.models.map(async (model) => {
        const lines = linesOf(model, inputTokens, outputTokens);
        return { lines, costNano: await this.paidWork.estimate({ orgId: org.id, meter: METER, lines }) };
      }),
    );
    const dearest = estimates.reduce((one, other) => (other.costNano > one.costNano ? other : one));
    const { heldNano } = await this.paidWork.begin({
      orgId: org.id,
      plan: org.plan,
      meter: METER,
      lines: dearest.lines,
      subjects: [...subjectsOf(principal.credential), ...(call.budgetSubjects ?? [])],
      paidElsewhere: billedTo === 'organization',
      key: keyOf(id),
      withinMs: HELD_MS,
      chargesBeyond: true,
    });
    const user = createHmac('sha256', this.userKey).update(org.id).digest('base64url');
    return { limits: { maxTokens, user }, inputTokens, maxCostNano: heldNano };
  }

  /**
   * Charges for the tokens of each generation once, all in the current transaction. If the organization pays its
   * provider for them, only budgets count them.
   *
   * @returns the prices in order; undefined where nothing is held.
   */
  async chargeAll(used: readonly UsedTokens[]): Promise<(bigint | undefined)[]> {
    const found = await this.paidWork.find(used.map(({ generation }) => keyOf(generation.id)));
    const works = new Map(found.map((work) => [work.key, work]));
    const ends = used.flatMap(({ generation, tokens }) => {
      const work = works.get(keyOf(generation.id));
      if (work === undefined) return [];
      const events = eventsOf(generation, tokens, work);
      return [{ work, meter: METER, events, paidElsewhere: generation.billedTo === 'organization' } as const];
    });
    const costs = await this.paidWork.endAll(ends);
    const byKey = new Map(ends.map(({ work }, index) => [work.key, costs[index]]));
    return used.map(({ generation }) => byKey.get(keyOf(generation.id)));
  }

  /** Releases the hold of a call that generated nothing. */
  async release(id: string): Promise<void> {
    await this.paidWork.abandonAll(await this.paidWork.find([keyOf(id)]));
  }
}

/** A generation that has ended, and what it used. */
export interface UsedTokens {
  readonly generation: ChargedGeneration;
  readonly tokens: TokenUsage;
}

/** What of a generation decides its price. */
interface ChargedGeneration {
  readonly id: string;
  readonly orgId: string;
  /** The project whose deploys have called. */
  readonly projectId: string | null;
  readonly model: string;
  readonly pricedKinds: readonly TokenKind[];
  readonly billedTo: BilledTo;
}

/** Whose budgets the call also needs room in. */
const subjectsOf = (credential: Credential): string[] =>
  credential.type !== 'api_key'
    ? []
    : [
        keySubject(credential.keyId),
        ...(credential.projectId === undefined ? [] : [projectSubject(credential.projectId)]),
      ];

const keyOf = (generationId: string): string => `ai:${generationId}`;

export const pricedKindsOf = ({ pricesNano }: OfferedModel): TokenKind[] => Object.keys(pricesNano) as TokenKind[];

/** The input may be written to a cache, which can be dearer than the input itself. */
function linesOf(model: OfferedModel, inputTokens: number, outputTokens: number): WorkEstimate['lines'] {
  const { id, pricesNano, contextTokens } = model;
  const { input = 0n, cache_write: written } = pricesNano;
  // A model cannot read more than its context.
  const quantity = BigInt(contextTokens === null ? inputTokens : Math.min(inputTokens, contextTokens));
  const lines = [{ model: `${id}:${written !== undefined && written > input ? 'cache_write' : 'input'}`, quantity }];
  if (outputTokens > 0 && pricesNano.output !== undefined)
    lines.push({ model: `${id}:output`, quantity: BigInt(outputTokens) });
  return lines;
}

/** Half of the context is left to the input. */
const defaultOutputOf = ({ models }: RoutePlan): number =>
  models.reduce(
    (least, { maxOutputTokens, contextTokens }) =>
      Math.min(
        least,
        maxOutputTokens ?? least,
        contextTokens === null ? least : Math.max(1, Math.floor(contextTokens / 2)),
      ),
    DEFAULT_OUTPUT_TOKENS,
  );

/** How many tokens of each answer the rest of the credits covers, after a refusal. */
function coveredBy(refusal: unknown, { plan, request, inputTokens }: Admitted): number {
  if (!(refusal instanceof DomainError) || refusal.status !== 402) return 0;
  const { available } = (refusal.help.details ?? {}) as { readonly available?: string };
  if (available === undefined) return 0;
  const covered = plan.models.map(({ pricesNano }) => {
    const { input = 0n, cache_write: written = 0n, output = 0n } = pricesNano;
    const inputNano = BigInt(inputTokens) * (written > input ? written : input);
    // Each line is rounded up.
    const leftNano = (parseUsd(available) - 2n) * TOKENS_OF_PRICE - inputNano;
    if (leftNano <= 0n) return 0;
    return output === 0n ? DEFAULT_OUTPUT_TOKENS : Number(leftNano / (output * BigInt(request.choices)));
  });
  return Math.min(...covered);
}

/** One event for each kind of tokens with a price of its own. Kinds without one are input of another sort. */
function eventsOf(
  { id, orgId, projectId, model, pricedKinds }: ChargedGeneration,
  tokens: TokenUsage,
  { begunAt }: PaidWork,
): UsageEvent[] {
  const counts = new Map<TokenKind, number>();
  for (const [kind, count = 0] of Object.entries(tokens) as [TokenKind, number | undefined][]) {
    const priced = pricedKinds.includes(kind) || kind === 'output' ? kind : 'input';
    counts.set(priced, (counts.get(priced) ?? 0) + count);
  }
  const used = [...counts].filter(([kind, count]) => count > 0 && pricedKinds.includes(kind));
  return (used.length === 0 ? ([['input', 0]] as const) : used).map(([kind, count]) => ({
    source: 'ai',
    sourceId: `${id}:${kind}`,
    orgId,
    projectId,
    meter: METER,
    model: `${model}:${kind}`,
    quantity: BigInt(count),
    occurredAt: begunAt,
  }));
}

import type { LiveSpan } from '../../../platform/tracing/live-span.js';
import type { Call } from '../../auth/caller.js';
import type { GenerationStart } from '../persistence/generation.entity.js';
import type { ModelRouter } from '../routers/model-router.js';
import type { SentCall } from '../routing/model-sender.js';
import type { RoutePlan } from '../routing/route-plan.js';
import { type PricedCall, pricedKindsOf } from './call-billing.js';
import type { BilledTo } from '../domain/billed-to.js';
import type { CallRequest } from './call-request.js';
import type { OrgRules } from './org-rules.js';

/** A call whose price is held. */
export interface HeldCall {
  readonly id: string;
  readonly call: Call;
  readonly request: CallRequest;
  readonly rules: OrgRules;
  readonly plan: RoutePlan;
  readonly priced: PricedCall;
  readonly billedTo: BilledTo;
  readonly createdAt: Date;
  /** For the part of the time to the first byte that is ours. */
  readonly begunMs: number;
}

/** A generation whose first bytes have arrived. */
export interface OpenedGeneration extends HeldCall {
  readonly sent: SentCall;
  readonly router: ModelRouter;
  /** Ends the request to the router. */
  readonly abort: AbortController;
  /** Ends when the answer was read. */
  readonly span: LiveSpan;
}

/** Longer than a router may take for an answer, and than the end of a generation is tried to be written. */
const GIVEN_UP_AFTER_MS = 17 * 60_000;

/** What another process needs to settle the generation. */
export function startOf(opened: OpenedGeneration, upstreamId: string | undefined): GenerationStart {
  const { id, call, request, sent, billedTo, createdAt } = opened;
  const { org, principal } = call;
  const { credential } = principal;
  return {
    id,
    orgId: org.id,
    userId: principal.user.id,
    keyId: credential.type === 'api_key' ? credential.keyId : null,
    projectId: credential.type === 'api_key' ? (credential.projectId ?? null) : null,
    protocol: request.protocol,
    model: sent.model.id,
    pricedKinds: pricedKindsOf(sent.model),
    router: sent.model.router,
    upstreamId: upstreamId?.slice(0, 200) ?? null,
    streamed: request.isStream,
    billedTo,
    createdAt,
    givesUpAt: new Date(createdAt.getTime() + GIVEN_UP_AFTER_MS),
  };
}

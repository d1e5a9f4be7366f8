import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { Protocol } from '../routers/model-router.js';
import { type Fields, fieldsOf } from '../routers/upstream-json.js';
import type { CallRules } from './rules/call-rules.js';
import { CHAT_RULES } from './rules/chat-rules.js';
import { EMBEDDINGS_RULES } from './rules/embeddings-rules.js';
import { MESSAGES_RULES } from './rules/messages-rules.js';
import { RESPONSES_RULES } from './rules/responses-rules.js';

const RULES: Readonly<Record<Protocol, CallRules>> = {
  chat_completions: CHAT_RULES,
  embeddings: EMBEDDINGS_RULES,
  responses: RESPONSES_RULES,
  messages: MESSAGES_RULES,
};
/** The models that may answer are tried here, in any protocol. */
const ROUTING = ['model', 'models', 'route', 'preset'];

/** How far a request may go, which is known once its price is held. */
export interface CallLimits {
  /** The most tokens of one answer. Undefined for embeddings, which have no output. */
  readonly maxTokens: number | undefined;
  /** Identifies the organization to providers, without telling which one it is. */
  readonly user: string;
  /** True when the router refuses to charge more than the price that the request names. */
  readonly capsPrice: boolean;
  /** True when the router is asked to choose only providers that keep no texts. */
  readonly zeroRetention: boolean;
}

/** A request for a model, as the caller sent it. Fields that it does not know are passed on. */
export class CallRequest {
  readonly isStream: boolean;
  /** True if the caller gets the usage at the end of a stream. */
  readonly showsUsage: boolean;
  /** The number of answers that are generated. */
  readonly choices: number;
  /** The most tokens of one answer, if the caller limits them. */
  readonly maxTokens: number | undefined;
  private readonly rules: CallRules;

  /** @throws {RequestInvalid} `invalid_request` */
  constructor(
    readonly protocol: Protocol,
    readonly fields: Fields,
  ) {
    this.rules = RULES[protocol];
    const faults = [...this.rules.faultsOf(fields)];
    if (faults.length > 0) throw new RequestInvalid(faults);
    this.isStream = this.rules.isStream(fields);
    this.showsUsage = this.rules.showsUsage(fields);
    this.choices = this.rules.choicesOf(fields);
    this.maxTokens = this.rules.maxTokensOf(fields);
  }

  /** The body for one of the models that may answer. Only what the service decides differs from what was sent. */
  bodyFor(model: OfferedModel, limits: CallLimits): Buffer {
    const { maxTokens, user } = limits;
    const isOurs = (name: string): boolean => ROUTING.includes(name) || this.rules.dropped.includes(name);
    const sent = Object.entries(this.fields).filter(([name]) => !isOurs(name));
    return Buffer.from(
      JSON.stringify({
        model: model.upstreamId,
        ...Object.fromEntries(sent),
        ...this.rules.decide(this.fields, { maxTokens: this.maxTokens === undefined ? maxTokens : undefined, user }),
        ...this.routingFor(model, limits),
      }),
    );
  }

  /** The field `provider`, which is the caller's unless the service or the policy decides a part of it. */
  private routingFor({ upstreamPricesNano }: OfferedModel, { capsPrice, zeroRetention }: CallLimits): Fields {
    const decided = {
      ...(upstreamPricesNano === null || !capsPrice ? {} : maxPriceOf(upstreamPricesNano)),
      ...(zeroRetention ? ZERO_RETENTION : {}),
    };
    if (Object.keys(decided).length === 0) return {};
    return { provider: { ...fieldsOf(this.fields['provider']), ...decided } };
  }
}

/** What OpenRouter takes to use no provider that keeps texts or learns from them. */
const ZERO_RETENTION = { data_collection: 'deny', zdr: true };

/** A router that has become dearer since its prices were read refuses, instead of charging more than we do. */
function maxPriceOf({ input = 0n, output = 0n }: NonNullable<OfferedModel['upstreamPricesNano']>): Fields {
  const usd = (nano: bigint): number => Number(nano) / 1e9;
  return { max_price: { prompt: usd(input), completion: usd(output) } };
}

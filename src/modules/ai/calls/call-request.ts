import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { Protocol } from '../routers/model-router.js';
import { type Fields, fieldsOf } from '../routers/upstream-json.js';

export type CallProtocol = Extract<Protocol, 'chat_completions' | 'embeddings'>;

const MAX_CHOICES = 128;
const MAX_TOKENS = 10_000_000;
/** What a router would charge for beside tokens. */
const REFUSED = ['plugins', 'web_search_options'];
/** What this service decides itself. */
const OWN = new Set(['models', 'route', 'preset', 'stream_options', 'user', 'model']);

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
  /** True if the caller asked for the usage at the end of a stream. */
  readonly showsUsage: boolean;
  /** The number of answers that are generated. */
  readonly choices: number;
  /** The most tokens of one answer, if the caller limits them. */
  readonly maxTokens: number | undefined;

  /** @throws {RequestInvalid} `invalid_request` */
  constructor(
    readonly protocol: CallProtocol,
    readonly fields: Fields,
  ) {
    const faults = [...this.faults()];
    if (faults.length > 0) throw new RequestInvalid(faults);
    this.isStream = protocol === 'chat_completions' && fields['stream'] === true;
    this.showsUsage = fieldsOf(fields['stream_options'])['include_usage'] === true;
    this.choices = (fields['n'] as number | null | undefined) ?? 1;
    const limits = [fields['max_tokens'], fields['max_completion_tokens']].filter((limit) => typeof limit === 'number');
    this.maxTokens = limits.length === 0 ? undefined : Math.max(...limits);
  }

  /** The body for one of the models that may answer. Only what the service decides differs from what was sent. */
  bodyFor(model: OfferedModel, limits: CallLimits): Buffer {
    const { maxTokens, user } = limits;
    const sent = Object.entries(this.fields).filter(([name]) => !OWN.has(name));
    return Buffer.from(
      JSON.stringify({
        model: model.upstreamId,
        ...Object.fromEntries(sent),
        ...(this.maxTokens === undefined && maxTokens !== undefined ? { max_tokens: maxTokens } : {}),
        ...(this.isStream
          ? { stream_options: { ...fieldsOf(this.fields['stream_options']), include_usage: true } }
          : {}),
        ...this.routingFor(model, limits),
        user,
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

  private *faults(): Iterable<FieldFault> {
    const { fields } = this;
    if (this.protocol === 'chat_completions') {
      if (!Array.isArray(fields['messages']) || fields['messages'].length === 0)
        yield fault('messages', 'is_array', 'messages must be a list with at least one message.');
      yield* this.countFaults('max_tokens', MAX_TOKENS);
      yield* this.countFaults('max_completion_tokens', MAX_TOKENS);
      yield* this.countFaults('n', MAX_CHOICES);
      if (!isAbsent(fields['stream']) && typeof fields['stream'] !== 'boolean')
        yield fault('stream', 'is_boolean', 'stream must be true or false.');
    } else {
      const { input } = fields;
      if ((typeof input !== 'string' && !Array.isArray(input)) || input.length === 0)
        yield fault('input', 'is_string', 'input must be a text, or a list of texts.');
      if (fields['stream'] === true) yield fault('stream', 'is_in', 'Embeddings are not streamed.');
    }
    for (const name of REFUSED)
      if (!isAbsent(fields[name]))
        yield fault(name, 'unknown_field', `${name} is not supported: it is billed by something other than tokens.`);
  }

  private *countFaults(name: string, max: number): Iterable<FieldFault> {
    const value = this.fields[name];
    if (isAbsent(value) || (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max)) return;
    yield { ...fault(name, 'is_int', `${name} must be a whole number from 1 to ${max}.`), expected: { min: 1, max } };
  }
}

/** What OpenRouter takes to use no provider that keeps texts or learns from them. */
const ZERO_RETENTION = { data_collection: 'deny', zdr: true };

/** A router that has become dearer since its prices were read refuses, instead of charging more than we do. */
function maxPriceOf({ input = 0n, output = 0n }: NonNullable<OfferedModel['upstreamPricesNano']>): Fields {
  const usd = (nano: bigint): number => Number(nano) / 1e9;
  return { max_price: { prompt: usd(input), completion: usd(output) } };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const fault = (path: string, code: string, message: string): FieldFault => ({ path, in: 'body', code, message });

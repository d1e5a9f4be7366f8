import type { FieldFault } from '../../../../platform/errors/request-invalid.js';
import { type Fields, fieldsOf, listOf } from '../../routers/upstream-json.js';

const MAX_TOKENS = 10_000_000;
/** What a router would charge for beside tokens. */
const REFUSED = ['plugins', 'web_search_options'];
/** Others have prices of their own, above those that models are listed with. */
const SERVICE_TIERS = ['auto', 'default', 'flex', 'standard_only'];

const CACHE_TTL = '5m';
const CACHED_IN = ['messages', 'system', 'tools', 'input', 'content'];

/** What the service sets in a request. */
interface DecidedFields {
  /** The most tokens of an answer, if the caller does not limit them. */
  readonly maxTokens: number | undefined;
  /** Identifies the organization to providers, without telling which one it is. */
  readonly user: string;
}

/** What requests of one protocol may ask for, and what the service sets in them. */
export interface CallRules {
  faultsOf(fields: Fields): Iterable<FieldFault>;
  /** The number of answers that are generated. */
  choicesOf(fields: Fields): number;
  /** The most tokens of one answer, if the caller limits them. */
  maxTokensOf(fields: Fields): number | undefined;
  isStream(fields: Fields): boolean;
  /** True if the caller gets the usage at the end of a stream. */
  showsUsage(fields: Fields): boolean;
  /** Fields of the caller that are not passed on. */
  readonly dropped: readonly string[];
  /** The fields that are sent in addition. */
  decide(fields: Fields, decided: DecidedFields): Fields;
}

export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export const fault = (path: string, code: string, message: string): FieldFault => ({ path, in: 'body', code, message });

export const countIn = (fields: Fields, name: string): number | undefined =>
  typeof fields[name] === 'number' ? fields[name] : undefined;

/** What is billed by something other than the tokens of the models at their listed prices, in every protocol. */
export function* billingFaults(fields: Fields): Iterable<FieldFault> {
  for (const name of REFUSED)
    if (!isAbsent(fields[name]))
      yield fault(name, 'unknown_field', `${name} is not supported: it is billed by something other than tokens.`);
  if (!isAbsent(fields['fallbacks']))
    yield fault('fallbacks', 'unknown_field', 'fallbacks is not supported. Name other models in models.');
  const { service_tier: tier } = fields;
  if (!isAbsent(tier) && !SERVICE_TIERS.includes(tier as string))
    yield {
      ...fault('service_tier', 'is_in', 'service_tier must have the listed price of the model.'),
      expected: SERVICE_TIERS,
    };
  const path = longCacheIn(fields, '');
  if (path !== undefined)
    yield { ...fault(path, 'is_in', 'Only caches of 5 minutes have the listed price.'), expected: [CACHE_TTL] };
}

/** Returns where a block asks for a longer cache. Blocks are in conversations, instructions and tools. */
function longCacheIn(value: unknown, path: string): string | undefined {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const found = longCacheIn(each, `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const block = fieldsOf(value);
  const { ttl } = fieldsOf(block['cache_control']);
  const prefix = path === '' ? '' : `${path}.`;
  if (!isAbsent(ttl) && ttl !== CACHE_TTL) return `${prefix}cache_control.ttl`;
  for (const name of CACHED_IN) {
    const found = Array.isArray(block[name]) ? longCacheIn(block[name], prefix + name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function* countFaults(fields: Fields, name: string, max = MAX_TOKENS): Iterable<FieldFault> {
  const value = fields[name];
  if (isAbsent(value) || (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max)) return;
  yield { ...fault(name, 'is_int', `${name} must be a whole number from 1 to ${max}.`), expected: { min: 1, max } };
}

export function* messagesFaults({ messages }: Fields): Iterable<FieldFault> {
  if (listOf(messages).length === 0)
    yield fault('messages', 'is_array', 'messages must be a list with at least one message.');
}

export function* streamFaults({ stream }: Fields): Iterable<FieldFault> {
  if (!isAbsent(stream) && typeof stream !== 'boolean')
    yield fault('stream', 'is_boolean', 'stream must be true or false.');
}

/** Tools that providers run are billed apart, and reach what the service does not know. */
export function* toolFaults({ tools }: Fields, isOwn: (tool: unknown) => boolean): Iterable<FieldFault> {
  if (isAbsent(tools)) return;
  if (!Array.isArray(tools)) {
    yield fault('tools', 'is_array', 'tools must be a list.');
    return;
  }
  // The length of the answer is bounded, whatever was sent.
  const at = tools.findIndex((tool) => !isOwn(tool));
  if (at !== -1)
    yield fault(`tools[${at}].type`, 'is_in', 'Only tools that the caller runs are supported, such as functions.');
}

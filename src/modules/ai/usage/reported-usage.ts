import type { TokenUsage } from '../domain/token-usage.js';
import { countOf, type Fields, fieldsOf } from '../routers/upstream-json.js';

/** What a router says about itself and about its purchase prices. Callers do not see it. */
const PURCHASE_FIELDS = ['cost', 'cost_details', 'is_byok', 'upstream_inference_cost'];

/** Returns the counts of a `usage` of chat completions or embeddings, or undefined when it has none. */
export function tokensOf(usage: unknown): TokenUsage | undefined {
  const fields = fieldsOf(usage);
  const details = fieldsOf(fields['prompt_tokens_details']);
  return openAiTokens(countOf(fields['prompt_tokens']), details, countOf(fields['completion_tokens']));
}

/** Returns the counts of a `usage` of the Responses API, or undefined when it has none. */
export function responseTokensOf(usage: unknown): TokenUsage | undefined {
  const fields = fieldsOf(usage);
  const details = fieldsOf(fields['input_tokens_details']);
  return openAiTokens(countOf(fields['input_tokens']), details, countOf(fields['output_tokens']));
}

/** The details are parts of the prompt. */
function openAiTokens(
  prompt: number | undefined,
  details: Fields,
  completion: number | undefined,
): TokenUsage | undefined {
  if (prompt === undefined) return undefined;
  const read = Math.min(prompt, countOf(details['cached_tokens']) ?? 0);
  const written = Math.min(prompt - read, countOf(details['cache_write_tokens']) ?? 0);
  return withCache({ input: prompt - read - written, output: completion ?? 0 }, read, written);
}

/** Returns the counts of a `usage` of the Messages API, whose input does not contain its cache. */
export function messageTokensOf(usage: unknown): TokenUsage | undefined {
  const fields = fieldsOf(usage);
  const input = countOf(fields['input_tokens']);
  const output = countOf(fields['output_tokens']);
  if (input === undefined || output === undefined) return undefined;
  return withCache(
    { input, output },
    countOf(fields['cache_read_input_tokens']) ?? 0,
    countOf(fields['cache_creation_input_tokens']) ?? 0,
  );
}

const withCache = (tokens: TokenUsage, read: number, written: number): TokenUsage => ({
  ...tokens,
  ...(read === 0 ? {} : { cache_read: read }),
  ...(written === 0 ? {} : { cache_write: written }),
});

/** True when the usage has something that callers must not see. */
export const hasPurchase = (usage: Fields): boolean => PURCHASE_FIELDS.some((name) => name in usage);

/**
 * Returns the usage for the caller: without the purchase price, and with what the caller pays, in dollars, if that is
 * known.
 */
export function usageForCaller(usage: Fields, costUsd: string | undefined): Fields {
  const kept = Object.entries(usage).filter(([name]) => !PURCHASE_FIELDS.includes(name));
  return { ...Object.fromEntries(kept), ...(costUsd === undefined ? {} : { cost: Number(costUsd) }) };
}

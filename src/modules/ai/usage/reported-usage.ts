import type { TokenUsage } from '../domain/token-usage.js';
import { countOf, type Fields, fieldsOf } from '../routers/upstream-json.js';

/** What a router says about itself and about its purchase prices. Callers do not see it. */
const PURCHASE_FIELDS = ['cost', 'cost_details', 'is_byok', 'upstream_inference_cost'];

/** Returns the counts of a `usage` in the form of OpenAI, or undefined when it has none. */
export function tokensOf(usage: unknown): TokenUsage | undefined {
  const fields = fieldsOf(usage);
  const prompt = countOf(fields['prompt_tokens']);
  if (prompt === undefined) return undefined;
  const details = fieldsOf(fields['prompt_tokens_details']);
  const read = Math.min(prompt, countOf(details['cached_tokens']) ?? 0);
  const written = Math.min(prompt - read, countOf(details['cache_write_tokens']) ?? 0);
  return {
    input: prompt - read - written,
    output: countOf(fields['completion_tokens']) ?? 0,
    ...(read === 0 ? {} : { cache_read: read }),
    ...(written === 0 ? {} : { cache_write: written }),
  };
}

/**
 * Returns the usage for the caller: without the purchase price, and with what the caller pays, in dollars, if that is
 * known.
 */
export function usageForCaller(usage: Fields, costUsd: string | undefined): Fields {
  const kept = Object.entries(usage).filter(([name]) => !PURCHASE_FIELDS.includes(name));
  return { ...Object.fromEntries(kept), ...(costUsd === undefined ? {} : { cost: Number(costUsd) }) };
}

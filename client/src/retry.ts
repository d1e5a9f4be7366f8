const BASE_SECONDS = 0.5;
const MAX_SECONDS = 8;
/** The jitter keeps clients that failed together from retrying together. */
const MAX_JITTER = 0.25;

/** Only responses are retried. A call without a response may have been done, so its caller has to decide. */
export function isRetryable({ status, code }: { readonly status: number; readonly code: string }): boolean {
  // Only the operator can mend this one.
  return (status === 429 || status >= 500) && code !== 'model_router_not_configured';
}

/**
 * Returns the seconds to wait before a retry. They grow exponentially, and are never less than `Retry-After`.
 *
 * @param retry is 0 before the first retry.
 * @param random is between 0 and 1.
 */
export function waitSeconds(retry: number, retryAfter: number | undefined, random: number): number {
  const backoff = Math.min(MAX_SECONDS, BASE_SECONDS * 2 ** retry) * (1 - MAX_JITTER * random);
  return Math.max(backoff, retryAfter ?? 0);
}

/** Parses a `Retry-After` header of seconds or an HTTP date. Returns undefined when it is absent or neither. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // An HTTP date starts with its weekday. `Date.parse` alone would accept nearly any text.
  const dateMs = /^[a-z]{3}/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}

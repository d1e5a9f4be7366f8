const BASE_SECONDS = 0.5;
const MAX_SECONDS = 8;
/** So that callers who failed together do not come back together. */
const MAX_JITTER = 0.25;

/** Only what the service answered so: whether a call that got no answer was done is for its caller to find out. */
export function isRetryable(status: number): boolean {
  return status === 429 || status >= 500;
}

/**
 * How long to wait before a retry, in seconds: exponentially longer, and never less than the answer asks for.
 *
 * @param retry 0 before the first retry.
 * @param random From 0 to 1.
 */
export function waitSeconds(retry: number, retryAfter: number | undefined, random: number): number {
  const backoff = Math.min(MAX_SECONDS, BASE_SECONDS * 2 ** retry) * (1 - MAX_JITTER * random);
  return Math.max(backoff, retryAfter ?? 0);
}

/** Seconds from a `Retry-After` header, which holds seconds or an HTTP date. Undefined when it is absent or neither. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // An HTTP date begins with its weekday. `Date.parse` alone would read a date into nearly anything.
  const dateMs = /^[a-z]{3}/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}

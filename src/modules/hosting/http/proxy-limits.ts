/**
 * How long the proxy waits for apps and for those who visit them; tests make it shorter. Documented in docs/hosting.md.
 */
export const PROXY_TIMES = {
  /** From the request being passed on to the head of the answer. */
  answerWithinMs: 60_000,
  /** From the request being passed on to the last byte of the answer, whatever streams in between. */
  requestLifeMs: 15 * 60_000,
  /** An upgraded connection on which no byte goes either way. */
  upgradeIdleMs: 5 * 60_000,
  /** An upgraded connection, busy or not. */
  upgradeLifeMs: 2 * 60 * 60_000,
  /** How long the rest of a request that was answered early may take to arrive; it is read and dropped. */
  drainWithinMs: 5_000,
};

/** Informational answers (1xx) before the answer itself. */
export const MAX_INFORMATIONAL = 16;

/** The head of an answer: its bytes, which Node counts, and its header lines. */
export const MAX_HEAD_BYTES = 16_384;
export const MAX_HEADER_LINES = 256;

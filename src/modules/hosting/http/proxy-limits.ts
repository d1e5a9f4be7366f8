/** The time limits of the proxy, documented in docs/hosting.md. Tests shorten them. */
export const PROXY_TIMES = {
  /** The time from passing the request on to the head of the answer. */
  answerWithinMs: 60_000,
  /** The time from passing the request on to the last byte of the answer, even if it streams. */
  requestLifeMs: 15 * 60_000,
  /** The time that an upgraded connection may be idle. */
  upgradeIdleMs: 5 * 60_000,
  /** The longest life of an upgraded connection, busy or not. */
  upgradeLifeMs: 2 * 60 * 60_000,
  /** The time in which the rest of a request must arrive that was answered early. It is read and dropped. */
  drainWithinMs: 5_000,
};

/** The most informational answers (1xx) before the final answer. */
export const MAX_INFORMATIONAL = 16;

/** Limits of the head of an answer: its bytes, which Node counts, and its header lines. */
export const MAX_HEAD_BYTES = 16_384;
export const MAX_HEADER_LINES = 256;

/** The time from the beginning of a sign-in in a browser to its end. */
export const FLOW_LIFETIME_MS = 10 * 60_000;
/** The time in which the beginner completes it with the code. */
export const CODE_LIFETIME_MS = 60_000;

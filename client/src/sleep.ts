/** After this many broken connections without any news, the error is thrown. */
export const MAX_BREAKS = 5;
/** How long to wait before what has to be asked again. */
export const PAUSE_MS = 1_000;
/** Longer waits make timers fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** @throws the reason of the signal as soon as it aborts. */
export function sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- The caller's own reason, unchanged.
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', leave);
        resolve();
        // Timers may fire up to a millisecond early, and no retry may come before Retry-After.
      },
      Math.min(Math.ceil(durationMs) + 1, MAX_TIMER_MS),
    );
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}

/**
 * Waits for work that goes on when nobody waits for it.
 *
 * @throws the reason of `signal` when it is aborted before.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
  });
  // It may end after nobody waits for it.
  work.catch(() => undefined);
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

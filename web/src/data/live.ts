import { useSyncExternalStore } from 'react';

/**
 * Whether the stream of events is open. `starting` is the time before the first answer, and while the page is hidden,
 * which holds no stream.
 */
type Liveness = 'starting' | 'live' | 'away';

/** While there is no stream, what is unfinished is asked for again this often. */
const POLL_MS = 3_000;

let liveness: Liveness = 'starting';
const listeners = new Set<() => void>();

export function setLiveness(next: Liveness): void {
  if (next === liveness) return;
  liveness = next;
  for (const listener of listeners) listener();
}

export function useLiveness(): Liveness {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => liveness,
  );
}

/** How long to wait before something unfinished is asked for again: not at all while events say when it changes. */
export const fallbackPollMs = (isUnfinished: boolean): number | false =>
  isUnfinished && liveness !== 'live' ? POLL_MS : false;

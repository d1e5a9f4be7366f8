import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The limits of waiting are for a developer's machine; one that runs nothing but tests may be a third as fast. */
const FACTOR_IN_CI = 3;
/** A test that hangs still has to end. */
const MAX_FACTOR = 10;

/**
 * Returns how long something that takes `ms` at most on an idle machine may take on this one, slow or busy as it is.
 * Use it for each limit of waiting and each bound on time: what passes takes no longer by it.
 */
export function onThisMachine(ms: number): number {
  const busy = loadavg()[0]! / availableParallelism();
  return ms * Math.min(MAX_FACTOR, Math.max(busy, process.env['CI'] ? FACTOR_IN_CI : 1));
}

/**
 * Waits until the condition holds, looking often, for what can be seen within this process or machine. `withinMs` is
 * for an idle machine. @throws {Error} when it never does.
 */
export async function soon(holds: () => boolean, withinMs = 5_000): Promise<void> {
  const limitMs = onThisMachine(withinMs);
  const deadline = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`Not within ${limitMs} ms: ${holds.toString()}`);
    await sleep(5);
  }
}

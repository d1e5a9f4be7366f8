/** Room for sandboxes that are ending, or that were started outside of the pools. */
const OUTSIDE_POOLS = 2;

/** A template lives on beside the one that replaces it, until its forks have ended. */
const LIVES_OF_TEMPLATE = 2;

/**
 * Returns how many sandboxes each pool keeps warm: one for each concurrent run, and one in reserve while the others are
 * replaced. If the machine limits the number of sandboxes, active runs have priority.
 */
export function poolSize({
  concurrency,
  capacity,
  pools,
  templates,
}: {
  concurrency: number;
  capacity: number;
  pools: number;
  templates: number;
}): number {
  const room = Math.floor((capacity - concurrency - OUTSIDE_POOLS - templates * LIVES_OF_TEMPLATE) / pools);
  return Math.max(0, Math.min(concurrency + 1, room));
}

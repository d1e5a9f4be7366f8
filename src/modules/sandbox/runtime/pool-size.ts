/** Room for sandboxes that are ending, or that were started outside of the pools. */
const OUTSIDE_POOLS = 2;

/**
 * Returns how many sandboxes each pool keeps warm: one for each concurrent run, and one in reserve while the others are
 * replaced. If the machine limits the number of sandboxes, active runs have priority.
 */
export function poolSize({
  concurrency,
  capacity,
  pools,
}: {
  concurrency: number;
  capacity: number;
  pools: number;
}): number {
  const room = Math.floor((capacity - concurrency - OUTSIDE_POOLS) / pools);
  return Math.max(0, Math.min(concurrency + 1, room));
}

/** Sandboxes that are on their way out, or started outside of the pools. */
const OUTSIDE_POOLS = 2;

/**
 * How many sandboxes each pool keeps warm: one for each run that may come at once, and one in reserve while their
 * places are filled. Where only so many sandboxes may live at a time, the runs themselves come first.
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

/**
 * One of so many moments at which something is killed is tried in a run, beginning with a random one, because each
 * takes seconds of both processors. `npm run test:kills` tries all of them.
 */
const EVERY = Number(process.env['KILL_EVERY'] ?? 5);

/** Returns the cases of a table of `it.each` that this run tries. It is at least one. */
export function sampled<Case>(cases: readonly Case[]): Case[] {
  const first = Math.floor(Math.random() * Math.min(EVERY, cases.length));
  return cases.filter((_, index) => index % EVERY === first);
}

/** Returns how many of so many random cases this run tries. */
export const sampledCount = (all: number): number => Math.ceil(all / EVERY);

/** Returns the cases that a run with LONG_TESTS, such as `1/3`, tries of a file that has something for every run. */
export function ofThisTurn<Case>(cases: readonly Case[]): Case[] {
  const [turn, turns] = (process.env['LONG_TESTS'] ?? '1/1').split('/').map(Number);
  return cases.filter((_, index) => index % turns! === turn! % turns!);
}

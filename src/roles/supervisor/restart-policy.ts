const WINDOW_MS = 60_000;
const MAX_DEATHS = 5;
/** The first delay, well below the second in which the process has to be back. */
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;

/** Decides if and when a process that died is restarted. */
export class RestartPolicy {
  private deaths: number[] = [];

  /** Returns the delay before the restart, or undefined after the fifth death within a minute. */
  died(nowMs: number): { readonly delayMs: number } | undefined {
    this.deaths = [...this.deaths.filter((at) => at > nowMs - WINDOW_MS), nowMs];
    if (this.deaths.length >= MAX_DEATHS) return undefined;
    return { delayMs: Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 4 ** (this.deaths.length - 1)) };
  }
}

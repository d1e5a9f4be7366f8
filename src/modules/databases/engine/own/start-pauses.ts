const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const MOST = 10_000;

interface Failures {
  readonly count: number;
  readonly untilMs: number;
}

/** Pauses between the starts of clusters that fail, which double with each failure. */
export class StartPauses {
  private readonly failures = new Map<string, Failures>();

  isPaused(clusterId: string): boolean {
    const failed = this.failures.get(clusterId);
    return failed !== undefined && performance.now() < failed.untilMs;
  }

  failed(clusterId: string): void {
    const count = (this.failures.get(clusterId)?.count ?? 0) + 1;
    if (this.failures.size >= MOST) this.failures.clear();
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(count - 1, 10));
    this.failures.set(clusterId, { count, untilMs: performance.now() + pauseMs });
  }

  succeeded(clusterId: string): void {
    this.failures.delete(clusterId);
  }
}

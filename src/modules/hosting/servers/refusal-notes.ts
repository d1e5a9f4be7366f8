const EVERY_MS = 60_000;
const MOST_KEPT = 1_000;

/** A refusal is told of in the log of its app, but not for each of its visitors. */
export class RefusalNotes {
  private readonly toldAtMs = new Map<string, number>();

  isDue(deployId: string): boolean {
    const nowMs = performance.now();
    if (nowMs - (this.toldAtMs.get(deployId) ?? -EVERY_MS) < EVERY_MS) return false;
    if (this.toldAtMs.size >= MOST_KEPT) this.toldAtMs.clear();
    this.toldAtMs.set(deployId, nowMs);
    return true;
  }
}

const EVERY_MS = 60_000;
const MOST_KEPT = 1_000;

/** Limits how often a refusal is written to the log of its app, because many visitors may cause it. */
export class RefusalNotes {
  private readonly notedAtMs = new Map<string, number>();

  isDue(deployId: string): boolean {
    const nowMs = performance.now();
    if (nowMs - (this.notedAtMs.get(deployId) ?? -EVERY_MS) < EVERY_MS) return false;
    if (this.notedAtMs.size >= MOST_KEPT) this.notedAtMs.clear();
    this.notedAtMs.set(deployId, nowMs);
    return true;
  }
}

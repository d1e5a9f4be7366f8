/** How much may be used at once after a pause, in milliseconds of processor time for each percent. */
const BURST_MS_PER_PERCENT = 1;

/** Replaces the kernel's bandwidth control: reports when a program has used more than a percentage of one processor. */
export class CpuAllowance {
  private readonly most: number;
  private unusedMs: number;
  private last: { readonly cpuMs: number; readonly nowMs: number } | null = null;

  constructor(private readonly maxPercent: number) {
    this.most = maxPercent * BURST_MS_PER_PERCENT;
    this.unusedMs = this.most;
  }

  /** @param cpuMs used since the program was started. */
  isSpent(cpuMs: number, nowMs: number): boolean {
    if (this.last !== null) {
      const earnedMs = ((nowMs - this.last.nowMs) * this.maxPercent) / 100;
      this.unusedMs = Math.min(this.most, this.unusedMs + earnedMs - (cpuMs - this.last.cpuMs));
    }
    this.last = { cpuMs, nowMs };
    return this.unusedMs < 0;
  }
}

/** Measures the time of each phase. The times of a phase that runs several times are added up. */
export class PhaseClock<Phase extends string> {
  private readonly spentMs = new Map<Phase, number>();
  private current: Phase;
  private sinceMs = performance.now();

  constructor(
    first: Phase,
    private readonly ended: (phase: Phase, ms: number) => void = () => undefined,
  ) {
    this.current = first;
  }

  get now(): Phase {
    return this.current;
  }

  begin(phase: Phase): void {
    if (phase === this.current) return;
    this.stop();
    this.current = phase;
  }

  /** Returns whole milliseconds by phase, including the current one. */
  read(): Readonly<Record<string, number>> {
    this.stop();
    return Object.fromEntries([...this.spentMs].map(([phase, ms]) => [phase, Math.round(ms)]));
  }

  private stop(): void {
    const nowMs = performance.now();
    const ms = nowMs - this.sinceMs;
    this.sinceMs = nowMs;
    this.spentMs.set(this.current, (this.spentMs.get(this.current) ?? 0) + ms);
    this.ended(this.current, ms);
  }
}

/** A timer that stands still while a session is frozen. */
export class PausableTimer {
  private timer: NodeJS.Timeout | undefined;
  private onTime: (() => void) | undefined;
  private leftMs = 0;
  private sinceMs = 0;
  private isPaused = false;

  /** Replaces what was set before. */
  set(ms: number, onTime: () => void): void {
    this.clear();
    this.leftMs = ms;
    this.onTime = onTime;
    if (!this.isPaused) this.start();
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    clearTimeout(this.timer);
    this.leftMs -= performance.now() - this.sinceMs;
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    if (this.onTime !== undefined) this.start();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.onTime = undefined;
  }

  private start(): void {
    this.sinceMs = performance.now();
    this.timer = setTimeout(
      () => {
        const { onTime } = this;
        this.onTime = undefined;
        onTime?.();
      },
      Math.max(0, this.leftMs),
    );
  }
}

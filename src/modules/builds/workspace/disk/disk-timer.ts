const INTERVAL_MS = 200;

/** Looks five times a second, one look at a time. A look that fails is no news: the build may be gone. */
export class DiskTimer {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | null = null;

  constructor(private readonly check: () => Promise<void>) {
    this.timer = setInterval(() => {
      if (this.running === null) void this.look();
    }, INTERVAL_MS);
  }

  /** A look that begins after this was called has ended when it resolves. */
  async look(): Promise<void> {
    await this.running;
    this.running = this.check()
      .catch(() => undefined)
      .finally(() => {
        this.running = null;
      });
    await this.running;
  }

  /** No look is under way when this resolves. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}

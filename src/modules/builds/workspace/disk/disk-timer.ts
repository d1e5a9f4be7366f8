const INTERVAL_MS = 200;

/** Checks a disk five times a second, one check at a time. A failed check is ignored: the build may have ended. */
export class DiskTimer {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | null = null;

  constructor(private readonly check: () => Promise<void>) {
    this.timer = setInterval(() => {
      if (this.running === null) void this.look();
    }, INTERVAL_MS);
  }

  /** Resolves when a check has ended that began after this call. */
  async look(): Promise<void> {
    await this.running;
    this.running = this.check()
      .catch(() => undefined)
      .finally(() => {
        this.running = null;
      });
    await this.running;
  }

  /** Resolves when no check is running any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}

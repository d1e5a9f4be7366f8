/**
 * The places of a queue in this process, for jobs that come from the queue and for those that are handed over.
 * A handed-over job gets a place only while the queue has none waiting, as far as this process can tell: the worker of
 * the queue would otherwise have taken them all. One place is always the queue's, so that the others never hold it up.
 */
export class JobPlaces {
  private readonly running = new Set<Promise<unknown>>();
  private queued = 0;
  private closed = false;

  constructor(
    private readonly count: number,
    private readonly onChange: (places: JobPlaces) => void,
  ) {}

  /** How many jobs can be handed over now. */
  get free(): number {
    return this.closed ? 0 : Math.max(0, this.count - Math.max(1, this.queued) - this.running.size);
  }

  /** How many jobs of the queue may run beside the handed-over ones. */
  get forQueue(): number {
    return this.count - this.running.size;
  }

  /** Runs a job of the queue. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    this.queued += 1;
    this.onChange(this);
    try {
      return await work();
    } finally {
      this.queued -= 1;
      this.onChange(this);
    }
  }

  /** Runs a handed-over job. Returns false when there is no place for it. It must not reject. */
  begin(work: () => Promise<void>): boolean {
    if (this.free === 0) return false;
    const run = work().finally(() => {
      this.running.delete(run);
      this.onChange(this);
    });
    this.running.add(run);
    this.onChange(this);
    return true;
  }

  /** Takes no more handed-over jobs, and resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.onChange(this);
    await Promise.all(this.running);
  }
}

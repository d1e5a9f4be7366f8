import type { Clock } from '../time/clock.js';

interface ReachableTimeFacts {
  readonly clock: Clock;
  /** Fails while the database is unavailable. */
  readonly ping: () => Promise<void>;
  /** How long others have to write what happened during an outage. */
  readonly graceMs: number;
}

/** Holds back work that gives others up, until they could have written to the database after an outage. */
export class ReachableTime {
  private sinceMs: number | undefined;

  constructor(private readonly facts: ReachableTimeFacts) {}

  /** Call it when the process starts: the database is available then. */
  begin(): void {
    this.sinceMs = this.facts.clock.now().getTime();
  }

  /**
   * Does the work, unless the database was unavailable within the grace.
   *
   * @throws what the work or the database throws; the grace then begins again when the database is back.
   */
  async run(work: () => Promise<void>): Promise<void> {
    const { clock, ping, graceMs } = this.facts;
    try {
      if (this.sinceMs === undefined) {
        await ping();
        this.begin();
      }
      if (clock.now().getTime() - this.sinceMs! >= graceMs) await work();
    } catch (error) {
      this.sinceMs = undefined;
      throw error;
    }
  }
}

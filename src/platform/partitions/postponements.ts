import { Injectable } from '@nestjs/common';
import { hasMetOthers } from '../database/met-others.js';
import { Log } from '../logging/log.js';
import { Clock } from '../time/clock.js';

/** A backup of a large database takes hours. What has a table for longer was forgotten. */
const QUIET_MS = 86_400_000;

/**
 * Changes of partitions that wait for a later turn, because another transaction uses the table, such as that of
 * `service backup`. That is no fault for a day: partitions are created two months ahead, and old ones are in nobody's
 * way.
 */
@Injectable()
export class Postponements {
  private readonly since = new Map<string, Date>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Runs a change of partitions, which is postponed when it does not get its locks in time.
   * @throws whatever the change throws, also for want of locks if that has been so for a day.
   */
  async allow(change: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.since.delete(change);
    } catch (error) {
      if (!hasMetOthers(error)) throw error;
      const now = this.clock.now();
      const since = this.since.get(change);
      if (since === undefined) this.since.set(change, now);
      else if (now.getTime() - since.getTime() >= QUIET_MS) throw error;
      this.log.info({ change }, 'A change of partitions waits for its next turn: another transaction uses the table.');
    }
  }
}

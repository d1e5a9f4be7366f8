import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';
import { PlatformSessions } from './platform-sessions.js';
import { WalDrain } from './wal-drain.js';
import { segmentOf, type WalSegment } from './wal-segments.js';

/** PostgreSQL archives a segment within milliseconds, unless the disk is full or the machine is busy. */
const ARCHIVED_WITHIN_MS = 60_000;
const PAUSE_MS = 50;

/** Makes sure that what was logged is in storage. */
@Injectable()
export class ArchivedLog {
  constructor(
    private readonly sessions: PlatformSessions,
    private readonly drain: WalDrain,
    private readonly archives: WalArchivesStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Stores all that was committed so far. The database is woken, and commits something of its own, so that the log
   * holds a moment after everything before.
   */
  async complete(clusterId: string, signal: AbortSignal): Promise<void> {
    const completeUntil = this.clock.now();
    const segment = await this.sessions.run(clusterId, async (query) => {
      await query('SELECT pg_current_xact_id()');
      const [current] = await query<{ name: unknown }>('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS name');
      await query('SELECT pg_switch_wal()');
      return segmentOf(String(current?.name));
    });
    if (segment === undefined) throw new Error(`PostgreSQL of ${clusterId} does not say where its log is.`);
    await this.reach(clusterId, segment, signal);
    await this.archives.advance({ clusterId, completeUntil, loggedAt: this.clock.now() });
  }

  /** {@link complete}, unless the database does not start or answer. */
  async completeIfPossible(clusterId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.complete(clusterId, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.log.warn({ error, clusterId }, 'The log of a database could not be completed.');
    }
  }

  /** Waits until a segment is stored. @throws {Error} when PostgreSQL does not archive it. */
  async reach(clusterId: string, { timeline, number }: WalSegment, signal: AbortSignal): Promise<void> {
    const deadlineMs = performance.now() + ARCHIVED_WITHIN_MS;
    for (;;) {
      await this.drain.run(clusterId, signal);
      const stored = (await this.archives.lastSegments(clusterId)).find((each) => each.timeline === timeline);
      if (stored !== undefined && stored.last >= number) return;
      if (performance.now() > deadlineMs) throw new Error(`PostgreSQL of ${clusterId} does not archive its log.`);
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}

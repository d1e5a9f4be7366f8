import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { RunEnding } from './ending/run-ending.js';
import { RUNS_ENDED, RunClaimsStore } from './persistence/run-claims.store.js';
import { RunWritesStore } from './persistence/run-writes.store.js';
import { RunsStore } from './persistence/runs.store.js';

/** Ends runs from outside of their workers. */
@Injectable()
export class RunEndsService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunsStore,
    private readonly writes: RunWritesStore,
    private readonly claims: RunClaimsStore,
    private readonly ending: RunEnding,
  ) {}

  /**
   * Cancels runs with all runs below them, in the caller's transaction if there is one. Those that are over stay as
   * they are. A worker that has one of them stops within moments; what it has begun cannot be taken back.
   *
   * @param reason for people, such as "Cancelled by ada."
   */
  async cancel(orgId: string, runIds: readonly string[], reason: string): Promise<void> {
    await this.database.transaction(async () => {
      const ids = await this.runs.activeTreeOf(orgId, runIds);
      for (const run of await this.runs.findAll(ids)) {
        const event = { type: 'run.cancelled' as const, data: { reason } };
        if (!(await this.writes.override(run.id, { state: 'cancelled' }, [event]))) continue;
        await this.ending.ended(run, { state: 'cancelled' });
      }
      if (ids.length > 0) await this.claims.notify(RUNS_ENDED);
    });
  }

  /** Ends runs that have waited for too long for anything to happen. */
  async timeOut(runIds: readonly string[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const run of await this.runs.findAll(runIds)) {
        const event = { type: 'run.timed_out' as const, data: { waiting_for: run.waitingFor } };
        if (!(await this.writes.override(run.id, { state: 'timed_out' }, [event]))) continue;
        await this.ending.ended(run, { state: 'timed_out' });
      }
    });
  }
}

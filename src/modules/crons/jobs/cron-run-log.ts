import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { CRON_RUN_ID } from '../crons.ids.js';
import { CronMetrics } from '../metrics/crons.metrics.js';
import { type CronOutcome, CronRun } from '../persistence/cron-run.entity.js';
import { CronRunsStore } from '../persistence/cron-runs.store.js';
import type { Cron } from '../persistence/cron.entity.js';

/** How the request of a cron ended. */
export interface Ending {
  readonly outcome: Exclude<CronOutcome, 'running'>;
  /** The HTTP status of the answer, if there was one. */
  readonly status: number | null;
}

/** Records the runs of crons, and counts them once they are stored. */
@Injectable()
export class CronRunLog {
  constructor(
    private readonly database: Database,
    private readonly runs: CronRunsStore,
    private readonly metrics: CronMetrics,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Records a time of a cron, in the running transaction. Only `running` is not over yet. */
  async begin(cron: Cron, outcome: 'running' | 'overlapped' | 'missed', at: Date): Promise<CronRun> {
    const run = CronRun.at(cron, outcome, { id: this.ids.next(CRON_RUN_ID), at });
    await this.runs.insert(run);
    await this.database.afterCommit(() => {
      if (outcome === 'running') this.metrics.began(at.getTime() - run.scheduledFor.getTime());
      else this.metrics.count(outcome);
      return Promise.resolve();
    });
    return run;
  }

  async end(runId: string, { outcome, status }: Ending): Promise<void> {
    // An app that fails has a status: without one, it was not reached.
    this.metrics.count(outcome === 'failed' && status === null ? 'error' : outcome);
    await this.runs.finish(runId, { outcome, status, at: this.clock.now() });
  }

  /** Ends the runs that began before this time: the process that ran them no longer exists. */
  async giveUp(startedBefore: Date): Promise<void> {
    this.metrics.count('lost', await this.runs.giveUp(startedBefore, this.clock.now()));
  }

  /** Returns those of the crons that are running. */
  running(cronIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.runs.running(cronIds);
  }
}

import { Injectable } from '@nestjs/common';
import { Handles } from '../../../platform/background/handles.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { CronGate } from '../domain/cron-gate.js';
import type { Cron } from '../persistence/cron.entity.js';
import { CronsStore } from '../persistence/crons.store.js';
import { CALL_WITHIN_MS, CronCalls, type DueRun } from './cron-calls.js';
import { CronRunLog } from './cron-run-log.js';
import { projectCronsSchedule } from './crons.job.js';

const BATCH = 100;
/** One organization must not keep the crons of the others waiting. */
export const MAX_RUNNING_PER_ORG = 5;
/** A run that is later than this says nothing about its time any more. */
const MISSED_AFTER_MS = 600_000;

/** Decides which crons run now. A time is taken in the transaction that sets the next one, so it never runs twice. */
@Injectable()
@Handles(projectCronsSchedule)
export class CronTicker implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly crons: CronsStore,
    private readonly runs: CronRunLog,
    private readonly gate: CronGate,
    private readonly calls: CronCalls,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const at = this.clock.now();
    await this.runs.giveUp(new Date(at.getTime() - 3 * CALL_WITHIN_MS));
    while (!stopping.aborted && this.calls.hasRoom) {
      const taken = await this.take();
      if (taken < BATCH) return;
    }
  }

  /** Takes crons that are due, and returns their number. Their requests go out once that is committed. */
  private take(): Promise<number> {
    return this.database.transaction(async () => {
      const at = this.clock.now();
      const due = await this.crons.due(at, { perOrg: MAX_RUNNING_PER_ORG, limit: BATCH });
      if (due.length === 0) return 0;
      const allowed = await this.gate.allowed(due.map(({ orgId }) => orgId));
      const running = await this.runs.running(due.map(({ id }) => id));
      for (const cron of due) {
        // Crons of a plan without them are kept, and their times pass without a run.
        if (allowed.has(cron.orgId)) await this.begin(cron, running.has(cron.id), at);
        cron.nextAt = cron.timeAfter(at);
        await this.crons.save(cron);
      }
      return due.length;
    });
  }

  private async begin(cron: Cron, isRunning: boolean, at: Date): Promise<void> {
    const isMissed = at.getTime() - cron.nextAt.getTime() > MISSED_AFTER_MS;
    const outcome = isMissed ? 'missed' : isRunning ? 'overlapped' : 'running';
    const run = await this.runs.begin(cron, outcome, at);
    if (outcome !== 'running') return;
    const due: DueRun = { runId: run.id, cronId: cron.id, projectId: cron.projectId, path: cron.path };
    await this.database.afterCommit(() => {
      this.calls.begin(due);
      return Promise.resolve();
    });
  }
}

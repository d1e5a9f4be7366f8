import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { AliasesStore } from '../persistence/aliases.store.js';
import { AppLogStore } from '../persistence/app-log.store.js';
import { AppMetricsStore } from '../persistence/app-metrics.store.js';
import { appRecordsSchedule } from './hosting.job.js';

const DAY_MS = 86_400_000;
const METRICS_KEPT_MS = 7 * DAY_MS;
const BATCH = 5_000;

/** Deletes old metrics, the output of deploys whose files are deleted, and what hosts served long ago. */
@Injectable()
@Handles(appRecordsSchedule)
export class AppRecordsSweeper implements ScheduleHandler {
  constructor(
    private readonly metrics: AppMetricsStore,
    private readonly logs: AppLogStore,
    private readonly aliases: AliasesStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const metricsBefore = new Date(nowMs - METRICS_KEPT_MS);
    await inBatches((limit) => this.metrics.removeBefore(metricsBefore, limit), { size: BATCH, stopping });
    // A deploy that is being stored prints lines before it is known.
    const linesBefore = new Date(nowMs - DAY_MS);
    await inBatches((limit) => this.logs.removeOrphans(linesBefore, limit), { size: BATCH, stopping });
    await inBatches((limit) => this.aliases.removeReplaced(limit), { size: BATCH, stopping });
  }
}

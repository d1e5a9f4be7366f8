import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { type Month, monthOf } from '../month.js';
import { UsagePartitions } from '../recording/usage-partitions.js';
import { usagePartitionsSchedule } from './metering.job.js';

/** Creates partitions ahead of time, so that the first event of a month does not wait for one. */
@Injectable()
@Handles(usagePartitionsSchedule)
export class UsagePartitionsTimer implements ScheduleHandler {
  constructor(
    private readonly partitions: UsagePartitions,
    private readonly clock: Clock,
  ) {}

  run(): Promise<void> {
    return this.partitions.ensure(aheadOf(this.clock.now()));
  }
}

/** This month and the two that follow. */
function aheadOf(now: Date): Month[] {
  const current = monthOf(now);
  const next = monthOf(current.end);
  return [current, next, monthOf(next.end)];
}

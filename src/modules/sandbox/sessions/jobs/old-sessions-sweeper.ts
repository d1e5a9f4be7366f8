import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../../platform/background/define-schedule.js';
import { Handles } from '../../../../platform/background/handles.js';
import { inBatches } from '../../../../platform/database/in-batches.js';
import { Clock } from '../../../../platform/time/clock.js';
import { SandboxSessionsStore } from '../../persistence/sandbox-sessions.store.js';
import { oldSessionsSchedule } from './sessions.job.js';

const KEPT_MS = 30 * 86_400_000;
const BATCHES = { size: 1_000, most: 20 };

/** Deletes sessions whose retention of 30 days has passed. */
@Injectable()
@Handles(oldSessionsSchedule)
export class OldSessionsSweeper implements ScheduleHandler {
  constructor(
    private readonly sessions: SandboxSessionsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const endedBefore = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.sessions.deleteEndedBefore(endedBefore, limit), BATCHES);
  }
}

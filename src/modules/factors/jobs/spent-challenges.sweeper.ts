import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { deleteExpired } from '../../../platform/database/delete-expired.js';
import { Clock } from '../../../platform/time/clock.js';
import { SpentChallengesStore } from '../persistence/spent-challenges.store.js';
import { spentChallengesSchedule } from './factors.job.js';

@Injectable()
@Handles(spentChallengesSchedule)
export class SpentChallengesSweeper implements ScheduleHandler {
  constructor(
    private readonly challenges: SpentChallengesStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await deleteExpired(this.challenges, this.clock.now());
  }
}

import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { oldGenerationsSchedule } from '../jobs/ai.job.js';
import { GenerationsStore } from '../persistence/generations.store.js';

const KEPT_MS = 90 * 86_400_000;
/** A busy service has millions, so that one run deletes many of them. */
const BATCHES = { size: 5_000, most: 100 };

/** Deletes generations whose retention of 90 days has passed. Their usage and price stay in the books. */
@Injectable()
@Handles(oldGenerationsSchedule)
export class OldGenerationsSweeper implements ScheduleHandler {
  constructor(
    private readonly generations: GenerationsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.generations.deleteExpired(createdBefore, limit), BATCHES);
  }
}

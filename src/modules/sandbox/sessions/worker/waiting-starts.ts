import { Injectable } from '@nestjs/common';
import { DirectJobs } from '../../../../platform/queues/direct-jobs.js';
import { sessionStartJob } from '../jobs/session-start.job.js';

/** Most sessions need one place, but what is free may not be enough for the first, or be free to others only. */
const WOKEN_AT_ONCE = 16;

/** The starts of sessions that found no room, on whichever worker. */
@Injectable()
export class WaitingStarts {
  private waking: Promise<void> | null = null;
  private isOutdated = false;

  constructor(private readonly jobs: DirectJobs) {}

  /** Has them look for room at once. They look by themselves as well, so that nothing is lost when this fails. */
  wake(): void {
    this.isOutdated = true;
    this.waking ??= this.wakeAll().finally(() => {
      this.waking = null;
    });
  }

  private async wakeAll(): Promise<void> {
    while (this.isOutdated) {
      this.isOutdated = false;
      await this.jobs.hurry(sessionStartJob, WOKEN_AT_ONCE).catch(() => undefined);
    }
  }
}

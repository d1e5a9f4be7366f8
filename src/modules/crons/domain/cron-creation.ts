import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { CRON_ID, CRON_RUN_ID } from '../crons.ids.js';
import { CronRun } from '../persistence/cron-run.entity.js';
import { Cron, type CronFields } from '../persistence/cron.entity.js';

/** Creates crons and their runs from calls of the API. It stores nothing. */
@Injectable()
export class CronCreation {
  constructor(
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  get now(): Date {
    return this.clock.now();
  }

  /** Returns a run that a person asks for: `overlapped` if one is active. */
  runOf(cron: Cron, isRunning: boolean): CronRun {
    return CronRun.requested(cron, isRunning ? 'overlapped' : 'running', {
      id: this.ids.next(CRON_RUN_ID),
      at: this.now,
    });
  }

  of(facts: CronFields & Pick<Cron, 'orgId' | 'projectId'>): Cron {
    return Cron.create({ ...facts, source: 'api' }, { id: this.ids.next(CRON_ID), at: this.now });
  }
}

import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { CRON_ID } from '../crons.ids.js';
import { Cron, type CronFields } from '../persistence/cron.entity.js';

/** Creates crons from calls of the API. It stores nothing. */
@Injectable()
export class CronCreation {
  constructor(
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  get now(): Date {
    return this.clock.now();
  }

  of(facts: CronFields & Pick<Cron, 'orgId' | 'projectId'>): Cron {
    return Cron.create({ ...facts, source: 'api' }, { id: this.ids.next(CRON_ID), at: this.now });
  }
}

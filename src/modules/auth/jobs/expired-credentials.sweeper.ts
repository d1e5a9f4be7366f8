import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExpiredCredentialsStore, EXPIRING_TABLES } from '../persistence/expired-credentials.store.js';
import { expiredCredentialsSchedule } from './auth.job.js';

const KEPT_MS = 30 * 86_400_000;
const BATCH = 1_000;
/** Of each table in one sweep: the rest has time until the next. */
const BATCHES = 20;

/**
 * In the worker: deletes sessions, e-mail tokens and invitations that have been over for thirty days. Keys stay: an old
 * one is told what became of it. What was done with any of them is in the audit log.
 */
@Injectable()
@Handles(expiredCredentialsSchedule)
export class ExpiredCredentialsSweeper implements ScheduleHandler {
  constructor(
    private readonly expired: ExpiredCredentialsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    for (const table of EXPIRING_TABLES) {
      for (let batch = 0; batch < BATCHES; batch++) {
        if ((await this.expired.delete(table, before, BATCH)) < BATCH) break;
      }
    }
  }
}

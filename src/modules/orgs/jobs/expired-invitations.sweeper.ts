import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { expiredInvitationsSchedule } from './orgs.job.js';

const KEPT_MS = 30 * 86_400_000;
const BATCH = 1_000;
/** The limit of one run: what is left waits for the next. */
const BATCHES = 20;

@Injectable()
@Handles(expiredInvitationsSchedule)
export class ExpiredInvitationsSweeper implements ScheduleHandler {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    for (let batch = 0; batch < BATCHES; batch++) {
      if ((await this.invitations.deleteExpired(before, BATCH)) < BATCH) break;
    }
  }
}

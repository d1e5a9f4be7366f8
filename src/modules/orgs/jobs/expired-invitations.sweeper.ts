import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { deleteExpired } from '../../../platform/database/delete-expired.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { expiredInvitationsSchedule } from './orgs.job.js';

@Injectable()
@Handles(expiredInvitationsSchedule)
export class ExpiredInvitationsSweeper implements ScheduleHandler {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await deleteExpired(this.invitations, this.clock.now());
  }
}

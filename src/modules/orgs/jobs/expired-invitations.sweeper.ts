import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { expiredInvitationsSchedule } from './orgs.job.js';

const KEPT_MS = 30 * 86_400_000;
/** The limit of one run. The rest is deleted by the next run. */
const BATCHES = { size: 1_000, most: 20 };

@Injectable()
@Handles(expiredInvitationsSchedule)
export class ExpiredInvitationsSweeper implements ScheduleHandler {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.invitations.deleteExpired(before, limit), BATCHES);
  }
}

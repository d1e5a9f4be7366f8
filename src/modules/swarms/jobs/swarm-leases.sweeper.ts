import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { TaskBoard } from '../board/task-board.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { TaskClaimsStore } from '../persistence/task-claims.store.js';
import { swarmLeasesSchedule } from './swarms.job.js';

const BATCH = 500;

@Injectable()
@Handles(swarmLeasesSchedule)
export class SwarmLeasesSweeper implements ScheduleHandler {
  constructor(
    private readonly claims: TaskClaimsStore,
    private readonly swarms: SwarmsStore,
    private readonly board: TaskBoard,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    await inBatches((limit) => this.openExpired(limit), { size: BATCH, stopping });
    await inBatches((limit) => this.failExpired(limit), { size: BATCH, stopping });
  }

  private async openExpired(limit: number): Promise<number> {
    const swarmIds = await this.claims.expireLeases(limit);
    await this.swarms.askForTurns([...new Set(swarmIds)].sort());
    return swarmIds.length;
  }

  private async failExpired(limit: number): Promise<number> {
    const expired = await this.claims.lastAttemptsExpired(limit);
    for (const claim of expired) await this.board.expire(claim);
    return expired.length;
  }
}

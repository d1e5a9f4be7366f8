import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { AgentPlanRoom } from '../registry/agent-plan-room.js';
import { agentsBeyondPlanSchedule } from './agents.job.js';

const BATCH = 500;

/** A downgrade must not wait for agents, so they are paused soon after it. A run asks itself whether it may start. */
@Injectable()
@Handles(agentsBeyondPlanSchedule)
export class AgentsBeyondPlanSweeper implements ScheduleHandler {
  constructor(private readonly room: AgentPlanRoom) {}

  async run(stopping: AbortSignal): Promise<void> {
    const read = (last: string | undefined, limit: number): Promise<string[]> =>
      this.room.candidates(last ?? '', limit);
    for await (const orgIds of batchesOf(read, { size: BATCH, stopping })) await this.room.fit(orgIds);
  }
}

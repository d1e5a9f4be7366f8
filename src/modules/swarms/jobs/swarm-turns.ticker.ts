import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { SwarmGate } from '../board/swarm-gate.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { SwarmTurns } from '../teams/swarm-turns.js';
import { swarmTurnsSchedule } from './swarms.job.js';

const BATCH = 200;

@Injectable()
@Handles(swarmTurnsSchedule)
export class SwarmTurnsTicker implements ScheduleHandler {
  constructor(
    private readonly swarms: SwarmsStore,
    private readonly gate: SwarmGate,
    private readonly turns: SwarmTurns,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const read = (last: { id: string } | undefined, limit: number): Promise<{ id: string; orgId: string }[]> =>
      this.swarms.needingTurn(last?.id, limit);
    for await (const batch of batchesOf(read, { size: BATCH, stopping })) {
      const allowed = await this.gate.allowed(batch.map(({ orgId }) => orgId));
      for (const swarm of batch) {
        if (stopping.aborted) return;
        // One swarm does not hold up the others. It is tried again in the next round.
        await this.turns.take(swarm, allowed.has(swarm.orgId)).catch((error: unknown) => {
          this.log.warn({ swarmId: swarm.id, error }, 'The turn of a swarm failed. It is tried again.');
        });
      }
    }
  }
}

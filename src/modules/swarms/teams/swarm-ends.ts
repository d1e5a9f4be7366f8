import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgEvents } from '../../events/org-events.js';
import type { Failure, Swarm, SwarmEndState } from '../persistence/swarm-rows.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';

/** Ends and stalls swarms. The caller has locked the swarm in the running transaction. */
@Injectable()
export class SwarmEnds {
  constructor(
    private readonly database: Database,
    private readonly swarms: SwarmsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly events: OrgEvents,
    private readonly clock: Clock,
  ) {}

  /** Cancels the tasks that are not done. The next round of the schedule cancels the runs. */
  async end(
    { id, orgId, name }: Swarm,
    state: SwarmEndState,
    { output, error = null }: { output?: unknown; error?: Failure | null } = {},
  ): Promise<void> {
    await this.database.transaction(async () => {
      await this.swarms.end(id, { state, output, error, at: this.clock.now() });
      await this.tasks.cancelAll(id);
      if (state === 'cancelled') return;
      const data = { swarm_id: id, name, state, ...(error === null ? {} : { error }) };
      await this.events.publish({ orgId, type: `swarm.${state}`, data });
    });
  }

  /** The swarm stays as it is until something on its board changes. */
  async stall({ id, orgId, name }: Swarm, message: string): Promise<void> {
    const error = { code: 'swarm_stalled', message };
    await this.swarms.stall(id, error);
    await this.events.publish({
      orgId,
      type: 'swarm.stalled',
      data: { swarm_id: id, name, state: 'stalled', error },
    });
  }
}

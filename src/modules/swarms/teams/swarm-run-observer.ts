import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { EndedRun } from '../../runs/new-run.js';
import { RunObservers } from '../../runs/run-observers.js';
import { TaskBoard } from '../board/task-board.js';
import { isSwarmOver, type Swarm } from '../persistence/swarm-rows.js';
import { SwarmRunsStore } from '../persistence/swarm-runs.store.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { SwarmEnds } from './swarm-ends.js';

/** So many runs of workers in a row that leave open tasks without completing one mean that something is wrong. */
const MAX_FRUITLESS_RUNS = 5;

/** What follows for a swarm when one of its runs ends. */
@Injectable()
export class SwarmRunObserver {
  constructor(
    observers: RunObservers,
    private readonly swarms: SwarmsStore,
    private readonly runs: SwarmRunsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly board: TaskBoard,
    private readonly ends: SwarmEnds,
    private readonly clock: Clock,
  ) {
    observers.register((run) => this.ended(run));
  }

  private async ended(run: EndedRun): Promise<void> {
    if (run.swarmId === null) return;
    const known = await this.runs.end(run.id, this.clock.now());
    // The lock is left to others when nothing is to do: the runs of a swarm that is over end at about the same time.
    const seen = await this.swarms.find([run.orgId], run.swarmId);
    if (seen === undefined || isSwarmOver(seen.state)) return;
    const swarm = (await this.swarms.lock(run.swarmId))!;
    if (isSwarmOver(swarm.state)) return;
    if (known?.role === 'coordinator') return this.endWith(swarm, run);
    await this.board.giveUp(run.id, swarm.id, {
      code: 'run_ended',
      message: `The run of the worker ended: ${run.state}.`,
    });
    if (known?.role === 'worker') await this.workerEnded(swarm, known.done);
  }

  private async endWith(swarm: Swarm, { state, output, failureCode }: EndedRun): Promise<void> {
    if (state === 'succeeded') return this.ends.end(swarm, 'succeeded', { output });
    if (state === 'cancelled') return this.ends.end(swarm, 'cancelled');
    const code = state === 'timed_out' ? 'run_timed_out' : (failureCode ?? 'run_failed');
    return this.ends.end(swarm, 'failed', { error: { code, message: 'The run of the coordinator failed.' } });
  }

  private async workerEnded(swarm: Swarm, done: number): Promise<void> {
    const { open } = (await this.tasks.counts([swarm.id])).get(swarm.id)!;
    const count = done > 0 || open === 0 ? 0 : swarm.fruitlessRuns + 1;
    await this.swarms.setFruitlessRuns(swarm.id, count);
    if (count < MAX_FRUITLESS_RUNS || swarm.state === 'stalled') return;
    await this.ends.stall(swarm, `${count} runs of workers in a row have completed no task.`);
  }
}

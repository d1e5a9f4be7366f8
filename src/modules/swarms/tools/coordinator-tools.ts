import { Injectable } from '@nestjs/common';
import type { CallingRun, ToolOutcome } from '../../agents/agent-tool.js';
import { TaskBoard } from '../board/task-board.js';
import { faultOfJson } from '../domain/storable.js';
import { type CreateTaskInput, MAX_NEEDS } from '../domain/task-graph.js';
import { isSwarmOver, type Swarm, type TaskCounts } from '../persistence/swarm-rows.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { SwarmEnds } from '../teams/swarm-ends.js';
import { BoardMember } from './board-member.js';
import { type BoardTool, objectOf, refused, succeeded } from './tool-inputs.js';

const MAX_ADDED = 50;
const STRINGS = { type: 'array', items: { type: 'string', maxLength: 50 } };

interface AddedTask {
  readonly key?: string;
  readonly title: string;
  readonly description?: string;
  readonly needs?: string[];
  readonly labels?: string[];
}

/** The tools of the coordinator of a swarm. */
@Injectable()
export class CoordinatorTools {
  readonly tools: readonly BoardTool[] = [
    {
      name: 'board_add',
      description:
        'Adds tasks to the board of the swarm, all or none. Tasks of one call can need each other by their keys. A ' +
        'task opens when everything that it needs is done.',
      inputSchema: objectOf(
        {
          tasks: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_ADDED,
            items: objectOf(
              {
                key: { type: 'string', minLength: 1, maxLength: 50, description: 'A name within this call.' },
                title: { type: 'string', minLength: 1, maxLength: 200 },
                description: { type: 'string', maxLength: 16_384, description: 'All that a worker needs to know.' },
                needs: { ...STRINGS, maxItems: MAX_NEEDS, description: 'Keys of this call, or ids of tasks.' },
                labels: { ...STRINGS, maxItems: 20, description: 'Which workers the task is for.' },
              },
              ['title'],
            ),
          },
        },
        ['tasks'],
      ),
      call: ({ run, input }) =>
        this.member.coordinator(run, (swarm) => this.add(run, swarm, (input as { tasks: AddedTask[] }).tasks)),
    },
    {
      name: 'board_wait',
      description:
        'Waits until something on the board has changed: a task was completed, has failed, or was added. Returns how ' +
        'many tasks are in which state.',
      inputSchema: objectOf({}),
      call: ({ run }) => this.member.coordinator(run, (swarm) => this.wait(run, swarm)),
    },
  ];

  constructor(
    private readonly member: BoardMember,
    private readonly board: TaskBoard,
    private readonly swarms: SwarmsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly ends: SwarmEnds,
  ) {}

  private async add(run: CallingRun, { id }: Swarm, added: readonly AddedTask[]): Promise<ToolOutcome> {
    const fault = faultOfJson(added);
    if (fault !== undefined) return refused('invalid_arguments', `tasks ${fault}.`);
    const inputs = added.map(({ key, title, description, needs = [], labels = [] }): CreateTaskInput => ({
      ...{ key, title: title.replace(/\s+/g, ' ').trim() || 'Task', description, needs },
      ...{ labels: [...new Set(labels)], maxAttempts: 3 },
    }));
    const tasks = await this.board.add(id, inputs, (index) => `tasks[${index}].`);
    if (run.isTainted) await this.tasks.taint(tasks.map((task) => task.id));
    return succeeded(
      run,
      tasks.map(({ id: taskId, title, state }, index) => ({ key: inputs[index]!.key, id: taskId, title, state })),
    );
  }

  /** Called again each time that the run is woken. */
  private async wait(run: CallingRun, { id }: Swarm): Promise<ToolOutcome> {
    const swarm = (await this.swarms.lock(id))!;
    const counts = (await this.tasks.counts([id])).get(id)!;
    const answer = async (more: object = {}, nudgedMoves: number | null = null): Promise<ToolOutcome> => {
      await this.swarms.setAwaited(id, null, nudgedMoves);
      return succeeded(run, { tasks: counts, ...more });
    };
    const { moves, awaitedMoves, nudgedMoves } = swarm;
    if (isSwarmOver(swarm.state) || (awaitedMoves !== null && moves > awaitedMoves)) return answer();
    if (!canMove(counts)) {
      if (nudgedMoves !== moves && awaitedMoves === null)
        return answer({ note: 'No task is open or claimed: add tasks, or answer with the result.' }, moves);
      if (swarm.state === 'running')
        await this.ends.stall(swarm, 'No task is open or claimed, and the coordinator waits for a change.');
    }
    await this.swarms.setAwaited(id, awaitedMoves ?? moves, nudgedMoves);
    return { kind: 'waiting', for: 'children' };
  }
}

/** Blocked tasks need others: without an open or claimed one, nothing opens them. */
const canMove = ({ open, claimed }: TaskCounts): boolean => open + claimed > 0;

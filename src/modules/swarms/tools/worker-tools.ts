import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { CallingRun, ToolOutcome } from '../../agents/agent-tool.js';
import { TaskBoard, type TaskClaim } from '../board/task-board.js';
import { faultOfJson, isStorableText } from '../domain/storable.js';
import { type Swarm, type SwarmTask, TASK_STATES, type TaskState } from '../persistence/swarm-rows.js';
import { SwarmRunsStore } from '../persistence/swarm-runs.store.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { TaskClaimLost, TaskNotFound } from '../swarms.errors.js';
import { BoardMember } from './board-member.js';
import { type BoardTool, objectOf, refused, succeeded } from './tool-inputs.js';

const LISTED = 50;
const MAX_READ = 3;
const MAX_NOTES = 20;
const TASK_ID = { type: 'string', maxLength: 50 };
const HELD_TASK = { ...TASK_ID, description: 'The task that this run has claimed, if it is left out.' };
const LABELS = { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 50 } };

/** The tools of the workers of a swarm, and those that the coordinator has as well. */
@Injectable()
export class WorkerTools {
  readonly shared: readonly BoardTool[] = [
    {
      name: 'board_list',
      description:
        `Lists tasks of the board, oldest first, ${LISTED} at once. With ids, returns up to ${MAX_READ} tasks with ` +
        'their descriptions, notes and results.',
      inputSchema: objectOf({
        state: { type: 'string', enum: TASK_STATES },
        after: { ...TASK_ID, description: 'The list continues after the task with this id.' },
        ids: { type: 'array', maxItems: MAX_READ, items: TASK_ID },
      }),
      call: ({ run, input }) => this.member.of(run, (swarm) => this.list(run, swarm, input)),
    },
    {
      name: 'board_note',
      description: 'Adds a note to a task, for the next worker that claims it and for the coordinator.',
      inputSchema: objectOf({ task_id: TASK_ID, text: { type: 'string', minLength: 1, maxLength: 2_000 } }, [
        'task_id',
        'text',
      ]),
      call: ({ run, input }) =>
        this.member.of(run, (swarm) => this.note(run, swarm, input as { task_id: string; text: string })),
    },
  ];
  readonly tools: readonly BoardTool[] = [
    {
      name: 'board_claim',
      description:
        'Claims the oldest open task for this run, with the results of the tasks that it needs. Complete or fail it ' +
        'before you claim another one.',
      inputSchema: objectOf({ labels: { ...LABELS, description: 'Only tasks whose labels are all among these.' } }),
      call: ({ run, input }) =>
        this.member.inPlan(run, (swarm) => this.claim(run, swarm, (input as { labels?: string[] }).labels)),
    },
    {
      name: 'board_complete',
      description: 'Completes the task that this run has claimed.',
      inputSchema: objectOf(
        {
          task_id: HELD_TASK,
          result: { description: 'What the tasks that need it, and the coordinator, get to see.' },
        },
        ['result'],
      ),
      call: ({ run, input }) =>
        this.member.of(run, (swarm) => this.complete(run, swarm, input as { task_id?: string; result: unknown })),
    },
    {
      name: 'board_fail',
      description: 'Ends the attempt at the task that this run has claimed. Another run may try again, unless final.',
      inputSchema: objectOf(
        {
          task_id: HELD_TASK,
          message: { type: 'string', minLength: 1, maxLength: 2_000 },
          final: { type: 'boolean', description: 'True when no other attempt can succeed.' },
        },
        ['message'],
      ),
      call: ({ run, input }) => this.member.of(run, (swarm) => this.fail(run, swarm, input as unknown as FailInput)),
    },
  ];

  constructor(
    private readonly member: BoardMember,
    private readonly board: TaskBoard,
    private readonly tasks: SwarmTasksStore,
    private readonly runs: SwarmRunsStore,
    private readonly clock: Clock,
  ) {}

  private async list(run: CallingRun, { id }: Swarm, input: Readonly<Record<string, unknown>>): Promise<ToolOutcome> {
    const { state, after, ids } = input as { state?: TaskState; after?: string; ids?: string[] };
    if (ids !== undefined) {
      const tasks = (await this.tasks.all(ids)).filter(({ swarmId }) => swarmId === id);
      return succeeded(run, tasks.map(wholeOf), tasks.some(isTainted));
    }
    const { items, next } = await this.tasks.list(id, state, { limit: LISTED, after });
    const tasks = items.map(({ id: taskId, title, state: current, labels, attempts, error }) => ({
      ...{ id: taskId, title, state: current, labels, attempts },
      ...(error === null ? {} : { error }),
    }));
    return succeeded(run, { tasks, has_more: next !== undefined }, items.some(isTainted));
  }

  private async note(run: CallingRun, { id }: Swarm, input: { task_id: string; text: string }): Promise<ToolOutcome> {
    if (!isStorableText(input.text))
      return refused('invalid_arguments', 'text contains characters that cannot be kept.');
    const task = await this.taskOf(run, id, input.task_id);
    const note = { text: input.text, run_id: run.id, at: this.clock.now().toISOString() };
    if (!(await this.tasks.addNote(task.id, note, MAX_NOTES)))
      return refused('too_many_notes', `A task can have ${MAX_NOTES} notes.`);
    if (run.isTainted) await this.tasks.taint([task.id]);
    return succeeded(run, { noted: true });
  }

  private async claim(run: CallingRun, { id }: Swarm, labels: readonly string[] | undefined): Promise<ToolOutcome> {
    const held = await this.board.heldBy(run.id);
    if (held.length > 0)
      return refused('task_already_held', `Complete or fail ${held.map((task) => task.id).join(', ')} first.`);
    const holder = { runId: run.id, userId: null, name: null };
    const task = await this.board.claimNext(id, labels, { holder, leaseSeconds: null });
    if (task === undefined) return succeeded(run, { task: null });
    const needs = await this.tasks.all(task.needs);
    return succeeded(
      run,
      { task: wholeOf(task), needs: needs.map(({ id: needId, title, result }) => ({ id: needId, title, result })) },
      [task, ...needs].some(isTainted),
    );
  }

  private async complete(
    run: CallingRun,
    { id }: Swarm,
    { task_id: taskId, result }: { task_id?: string; result: unknown },
  ): Promise<ToolOutcome> {
    const fault = faultOfJson(result);
    if (fault !== undefined) return refused('invalid_arguments', `result ${fault}.`);
    const claim = await this.claimOf(run, id, taskId);
    await this.board.complete(claim, result);
    await this.runs.completedTask(run.id);
    if (run.isTainted) await this.tasks.taint([claim.id]);
    return succeeded(run, { completed: claim.id });
  }

  private async fail(run: CallingRun, { id }: Swarm, input: FailInput): Promise<ToolOutcome> {
    const { task_id: taskId, message, final = false } = input;
    if (!isStorableText(message))
      return refused('invalid_arguments', 'message contains characters that cannot be kept.');
    const failure = { code: 'task_failed', message, isFinal: final };
    const claim = await this.claimOf(run, id, taskId);
    const { task, cancelled } = await this.board.fail(claim, failure);
    if (run.isTainted) await this.tasks.taint([claim.id]);
    return succeeded(run, { task_id: claim.id, state: task.state, cancelled_tasks: cancelled });
  }

  /**
   * Returns the claim of the run, on this task if one is named.
   *
   * @throws {TaskClaimLost} `task_not_claimed`
   */
  private async claimOf({ id: runId }: CallingRun, swarmId: string, taskId: string | undefined): Promise<TaskClaim> {
    const held = (await this.board.heldBy(runId)).find(({ id }) => taskId === undefined || id === taskId);
    if (held === undefined) throw new TaskClaimLost();
    return { ...held, swarmId };
  }

  /** @throws {TaskNotFound} `task_not_found` */
  private async taskOf({ orgId }: CallingRun, swarmId: string, id: string): Promise<SwarmTask> {
    const task = await this.tasks.find([orgId], id);
    if (task?.swarmId !== swarmId) throw new TaskNotFound();
    return task;
  }
}

interface FailInput {
  readonly task_id?: string;
  readonly message: string;
  readonly final?: boolean;
}

const isTainted = (task: SwarmTask): boolean => task.isTainted;

const wholeOf = ({ id, title, description, state, labels, needs, notes, result, error }: SwarmTask): object => ({
  ...{ id, title, state, labels, needs },
  ...(description === null ? {} : { description }),
  ...(notes.length === 0 ? {} : { notes: notes.map(({ text }) => text) }),
  ...(result === null ? {} : { result }),
  ...(error === null ? {} : { error }),
});

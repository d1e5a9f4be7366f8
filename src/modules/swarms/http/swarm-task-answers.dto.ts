import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import type { FailedTask } from '../board/task-board.js';
import { type SwarmTask, TASK_STATES, type TaskState } from '../persistence/swarm-rows.js';

const TASK_ID = 'swt_01jd3m8yeqf5rb0xkq5ym8s6tn';
const RUN_ID = 'run_01jd3m8yeqf5rb0xkq5ym8s6tn';

class TaskHolderView {
  @ApiPropertyOptional({ type: String, example: RUN_ID }) run_id?: string;
  @ApiPropertyOptional({ type: String, example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) user_id?: string;
  @ApiPropertyOptional({ type: String, example: 'worker-3' }) name?: string;
}

class TaskNoteView {
  @ApiProperty({ example: 'The page needs JavaScript.' }) text!: string;
  @ApiPropertyOptional({ type: String, example: RUN_ID }) run_id?: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
}

export class TaskFailureView {
  @ApiProperty({ example: 'lease_expired' }) code!: string;
  @ApiProperty({ example: 'The claim was not renewed in time.' }) message!: string;
}

export class SwarmTaskView {
  @ApiProperty({ example: TASK_ID }) id!: string;
  @ApiProperty({ example: 'swm_01jd3m8yeqf5rb0xkq5ym8s6tn' }) swarm_id!: string;
  @ApiProperty({ example: 'Compare the prices of three hosts' }) title!: string;
  @ApiPropertyOptional({ type: String }) description?: string;
  @ApiProperty({ enum: TASK_STATES }) state!: TaskState;
  @ApiProperty({ type: [String], example: [TASK_ID] }) needs!: readonly string[];
  @ApiProperty({ type: [String], example: ['research'] }) labels!: readonly string[];
  @ApiPropertyOptional({ type: TaskHolderView }) claimed_by?: TaskHolderView;
  @ApiProperty({
    type: 'integer',
    description: 'Rises with each claim. A claim with an older fence has lost the task.',
  })
  fence!: number;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the claim ends. Absent for a run, which holds its task until it ends.',
  })
  lease_expires_at?: string;
  @ApiProperty({ type: 'integer', example: 1 }) attempts!: number;
  @ApiProperty({ type: 'integer', example: 3 }) max_attempts!: number;
  @ApiProperty({ type: [TaskNoteView] }) notes!: readonly TaskNoteView[];
  @ApiPropertyOptional({ description: 'Any JSON value.' }) result?: unknown;
  @ApiPropertyOptional({ type: TaskFailureView, description: 'Why the last attempt failed.' }) error?: TaskFailureView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of(task: SwarmTask): SwarmTaskView {
    const { id, swarmId, title, description, state, needs, labels, holder, leaseExpiresAt, notes, result } = task;
    return {
      ...{ id, swarm_id: swarmId, title },
      ...(description === null ? {} : { description }),
      ...{ state, needs, labels },
      ...(holder === null ? {} : { claimed_by: present(holder) }),
      fence: task.fence,
      ...(leaseExpiresAt === null ? {} : { lease_expires_at: leaseExpiresAt.toISOString() }),
      ...{ attempts: task.attempts, max_attempts: task.maxAttempts, notes },
      ...(state === 'done' && result !== null ? { result } : {}),
      ...(task.error === null || state === 'done' ? {} : { error: task.error }),
      created_at: task.createdAt.toISOString(),
      updated_at: task.updatedAt.toISOString(),
    };
  }
}

const present = ({ runId, userId, name }: NonNullable<SwarmTask['holder']>): TaskHolderView => ({
  ...(runId === null ? {} : { run_id: runId }),
  ...(userId === null ? {} : { user_id: userId }),
  ...(name === null ? {} : { name }),
});

export class FailedTaskView extends SwarmTaskView {
  @ApiProperty({
    type: [String],
    example: [TASK_ID],
    description: 'Tasks that needed this one and were cancelled, because it failed for good.',
  })
  cancelled_tasks!: readonly string[];

  static failed({ task, cancelled }: FailedTask): FailedTaskView {
    return Object.assign(SwarmTaskView.of(task), { cancelled_tasks: cancelled });
  }
}

export class SwarmTaskAnswer {
  @ApiProperty({ type: SwarmTaskView }) data!: SwarmTaskView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class NextTaskAnswer {
  @ApiProperty({ type: SwarmTaskView, nullable: true, description: 'Null when no open task fits.' })
  data!: SwarmTaskView | null;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class FailedTaskAnswer {
  @ApiProperty({ type: FailedTaskView }) data!: FailedTaskView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SwarmTaskPageAnswer {
  @ApiProperty({ type: [SwarmTaskView] }) data!: SwarmTaskView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

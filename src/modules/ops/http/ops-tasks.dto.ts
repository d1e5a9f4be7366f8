import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import type { Page } from '../../../platform/database/page.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { cursorOf, PageQuery } from '../../../platform/http/page.js';
import { inOrder, IsTitle, Trimmed } from '../../../platform/text/text-fields.js';
import { OPS_TASK_STATUSES, type OpsTaskStatus, SEVERITIES, type Severity } from '../domain/ops-task-status.js';
import type { OpsTaskEvent } from '../persistence/ops-task-event.entity.js';
import type { OpsTask } from '../persistence/ops-task.entity.js';
import type { TaskHistory } from '../tasks/ops-tasks.service.js';

const DEFAULT_LEASE_SECONDS = 900;
const LONGEST_LEASE_SECONDS = 3_600;
const LONGEST_SILENCE_SECONDS = 7 * 86_400;
const TEXT_CHARACTERS = 4_000;

const IsText = (): PropertyDecorator =>
  inOrder(Trimmed(), IsString(), MinLength(1), MaxLength(TEXT_CHARACTERS), Matches(/^[^\0\p{Cs}]*$/u));

export class TasksQuery extends PageQuery {
  @ApiPropertyOptional({ example: 'open', enum: OPS_TASK_STATUSES, description: 'Only tasks with this status.' })
  @MayBeAbsent()
  @IsIn(OPS_TASK_STATUSES)
  readonly status?: OpsTaskStatus;

  @ApiPropertyOptional({ example: 'disk', type: String, maxLength: 100, description: 'Only tasks with this tag.' })
  @MayBeAbsent()
  @IsTitle()
  readonly runbookTag?: string;
}

class AgentBody {
  @ApiProperty({
    example: 'pager-bot',
    minLength: 1,
    maxLength: 100,
    description: 'Your name, which must be the same in all calls.',
  })
  @IsTitle()
  readonly agent!: string;
}

export class LeaseBody extends AgentBody {
  @ApiPropertyOptional({
    example: DEFAULT_LEASE_SECONDS,
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_LEASE_SECONDS,
    default: DEFAULT_LEASE_SECONDS,
    description: 'The claim expires, and the task is open again, unless you renew it within this time.',
  })
  @IsInt()
  @Min(1)
  @Max(LONGEST_LEASE_SECONDS)
  readonly leaseSeconds: number = DEFAULT_LEASE_SECONDS;
}

export class ReleaseBody extends AgentBody {}

export class ResolveBody extends AgentBody {
  @ApiProperty({
    example: 'The disk was full of old logs. They are rotated daily now.',
    maxLength: TEXT_CHARACTERS,
    description: 'The cause, and the fix.',
  })
  @IsText()
  readonly resolution!: string;
}

export class NoteBody extends AgentBody {
  @ApiProperty({ example: 'The logs of the proxy take 80 % of the disk.', maxLength: TEXT_CHARACTERS })
  @IsText()
  readonly text!: string;
}

export class SilenceBody extends AgentBody {
  @ApiProperty({ example: 3_600, type: 'integer', minimum: 1, maximum: LONGEST_SILENCE_SECONDS })
  @IsInt()
  @Min(1)
  @Max(LONGEST_SILENCE_SECONDS)
  readonly seconds!: number;
}

export class TaskView {
  @ApiProperty({ example: 'tsk_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty() title!: string;
  @ApiProperty({
    example: 'sandbox',
    description: 'The tag of its runbook in GET /ops; `untagged` when there is none.',
  })
  runbookTag!: string;
  @ApiProperty({ enum: SEVERITIES }) severity!: Severity;
  @ApiProperty({ enum: OPS_TASK_STATUSES }) status!: OpsTaskStatus;
  @ApiProperty() dedupKey!: string;
  @ApiProperty() source!: string;
  @ApiPropertyOptional({ type: String }) description?: string;
  @ApiPropertyOptional({ type: String }) url?: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) labels!: object;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) annotations!: object;
  @ApiProperty({ format: 'date-time', description: 'When the fault began.' }) startsAt!: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When the fault ended.' }) endsAt?: string;
  @ApiProperty({ format: 'date-time', description: 'When the fault was last reported.' }) lastSeenAt!: string;
  @ApiProperty({ type: 'integer', description: 'The number of reports.' }) occurrences!: number;
  @ApiPropertyOptional({ type: String }) claimedBy?: string;
  @ApiPropertyOptional({ format: 'date-time' }) claimExpiresAt?: string;
  @ApiPropertyOptional({ format: 'date-time' }) silencedUntil?: string;
  @ApiPropertyOptional({ format: 'date-time' }) resolvedAt?: string;
  @ApiPropertyOptional({ type: String, description: 'The agent, or `alert`.' }) resolvedBy?: string;
  @ApiPropertyOptional({ type: String }) resolution?: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;

  static of(task: OpsTask): TaskView {
    const { id, title, runbookTag, severity, status, dedupKey, source, labels, annotations, occurrences } = task;
    return {
      id,
      title,
      runbookTag,
      severity,
      status,
      dedupKey,
      source,
      labels,
      annotations,
      occurrences,
      startsAt: task.startsAt.toISOString(),
      lastSeenAt: task.lastSeenAt.toISOString(),
      createdAt: task.createdAt.toISOString(),
      updatedAt: task.updatedAt.toISOString(),
      ...present({
        description: task.description,
        url: task.url,
        claimedBy: task.claimedBy,
        resolvedBy: task.resolvedBy,
        resolution: task.resolution,
      }),
      ...present({
        endsAt: timeOf(task.endsAt),
        claimExpiresAt: timeOf(task.claimExpiresAt),
        silencedUntil: timeOf(task.silencedUntil),
        resolvedAt: timeOf(task.resolvedAt),
      }),
    };
  }
}

export class TaskEventView {
  @ApiProperty({ enum: ['opened', 'claimed', 'released', 'claim_expired', 'noted', 'silenced', 'resolved'] })
  kind!: string;
  @ApiProperty({ description: 'The agent, `alert`, or `sweep`.' }) actor!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) details!: object;
  @ApiProperty({ format: 'date-time' }) at!: string;

  static of({ kind, actor, details, at }: OpsTaskEvent): TaskEventView {
    return { kind, actor, details, at: at.toISOString() };
  }
}

export class TaskHistoryView extends TaskView {
  @ApiProperty({ type: [TaskEventView], description: 'The history of the task, oldest first.' })
  events!: TaskEventView[];

  static ofHistory({ task, events }: TaskHistory): TaskHistoryView {
    return Object.assign(TaskView.of(task), { events: events.map((event) => TaskEventView.of(event)) });
  }
}

export class TasksView {
  @ApiProperty({ type: [TaskView] }) tasks!: TaskView[];
  @ApiPropertyOptional({ type: String, description: 'The `cursor` of the next page; absent on the last page.' })
  nextCursor?: string;

  static of({ items, next }: Page<OpsTask>): TasksView {
    return { tasks: items.map((task) => TaskView.of(task)), ...present({ nextCursor: cursorOf(next) ?? null }) };
  }
}

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;

/** Leaves out absent members, which are never null in an answer. */
const present = <T extends Record<string, string | null>>(values: T): { [K in keyof T]?: string } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as { [K in keyof T]?: string };

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { PageQuery } from '../../../platform/http/page.js';
import { inOrder, IsOneLine, Trimmed } from '../../../platform/text/text-fields.js';
import { faultOfJson, isStorableText } from '../domain/storable.js';
import { type CreateTaskInput, MAX_NEEDS } from '../domain/task-graph.js';
import { TASK_STATES, type TaskState } from '../persistence/swarm-rows.js';

const MIN_LEASE_SECONDS = 10;
const MAX_LEASE_SECONDS = 3_600;
const DEFAULT_LEASE_SECONDS = 60;
const MAX_LABELS = 20;
const LABEL = /^[a-z0-9][a-z0-9_.:/-]{0,49}$/;

const TASK_ID = 'swt_01jd3m8yeqf5rb0xkq5ym8s6tn';
const LEASE_FIELD = {
  type: 'integer',
  minimum: MIN_LEASE_SECONDS,
  maximum: MAX_LEASE_SECONDS,
  default: DEFAULT_LEASE_SECONDS,
  example: 120,
  description: 'How long the claim lasts. Renew it before it ends.',
} as const;
const LABELS_FIELD = {
  type: String,
  isArray: true,
  maxItems: MAX_LABELS,
  example: ['research'],
  description: 'Lowercase words that say which workers a task is for.',
} as const;

/** A value of any type that the board can keep. */
const IsStorableJson = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStorableJson',
    validator: {
      validate: (value: unknown) => faultOfJson(value) === undefined,
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} ${faultOfJson(fault?.value) ?? 'is invalid'}`,
    },
  });

export const IsStorableText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStorableText',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isStorableText(value),
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} must not contain a NUL or half of a surrogate pair`,
    },
  });

const AreLabels = (): PropertyDecorator =>
  inOrder(IsArray(), ArrayMaxSize(MAX_LABELS), ArrayUnique(), Matches(LABEL, { each: true }));
const AreNeeds = (): PropertyDecorator =>
  inOrder(IsArray(), ArrayMaxSize(MAX_NEEDS), ArrayUnique(), IsString({ each: true }), MaxLength(50, { each: true }));
const IsLease = (): PropertyDecorator => inOrder(IsInt(), Min(MIN_LEASE_SECONDS), Max(MAX_LEASE_SECONDS));

export class CreateSwarmTaskBody {
  @ApiProperty({ minLength: 1, maxLength: 200, example: 'Compare the prices of three hosts' })
  @inOrder(Trimmed(), IsString(), MinLength(1), MaxLength(200), IsOneLine())
  readonly title!: string;

  @ApiPropertyOptional({ type: String, maxLength: 16_384, example: 'Use the public price pages. Answer with a table.' })
  @MayBeAbsent()
  @inOrder(IsString(), MaxBytes(16_384), IsStorableText())
  readonly description?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_NEEDS,
    default: [],
    example: [TASK_ID],
    description: 'Tasks of the same swarm that have to be done first.',
  })
  @MayBeAbsent()
  @AreNeeds()
  readonly needs: string[] = [];

  @ApiPropertyOptional({ ...LABELS_FIELD, example: ['research'], default: [] })
  @MayBeAbsent()
  @AreLabels()
  readonly labels: string[] = [];

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 10, default: 3, example: 3 })
  @MayBeAbsent()
  @inOrder(IsInt(), Min(1), Max(10))
  readonly max_attempts: number = 3;

  get input(): CreateTaskInput {
    const { title, description, needs, labels, max_attempts: maxAttempts } = this;
    return { title, description, needs, labels, maxAttempts };
  }
}

export class AddTaskNeedsBody {
  @ApiProperty({ type: [String], minItems: 1, maxItems: MAX_NEEDS, example: [TASK_ID] })
  @ArrayMinSize(1)
  @AreNeeds()
  readonly needs!: string[];
}

export class ClaimTaskBody {
  @ApiPropertyOptional({ type: String, maxLength: 100, example: 'worker-3', description: 'What the worker is called.' })
  @MayBeAbsent()
  @inOrder(Trimmed(), IsString(), MinLength(1), MaxLength(100), IsOneLine())
  readonly name?: string;

  @ApiPropertyOptional(LEASE_FIELD)
  @MayBeAbsent()
  @IsLease()
  readonly lease_seconds: number = DEFAULT_LEASE_SECONDS;
}

export class ClaimNextTaskBody extends ClaimTaskBody {
  @ApiPropertyOptional({
    ...LABELS_FIELD,
    example: ['research'],
    description: 'Claims only tasks whose labels are all among these. Absent means any task.',
  })
  @MayBeAbsent()
  @AreLabels()
  readonly labels?: string[];
}

export class TaskClaimBody {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1, description: 'The `fence` that the claim returned.' })
  @inOrder(IsInt(), Min(1), Max(Number.MAX_SAFE_INTEGER))
  readonly fence!: number;
}

export class RenewTaskBody extends TaskClaimBody {
  @ApiPropertyOptional(LEASE_FIELD)
  @MayBeAbsent()
  @IsLease()
  readonly lease_seconds: number = DEFAULT_LEASE_SECONDS;
}

export class CompleteTaskBody extends TaskClaimBody {
  @ApiPropertyOptional({
    description: 'Any JSON value of at most 64 KiB.',
    example: { cheapest: 'example.com', usd_per_month: '4.50' },
  })
  @MayBeAbsent()
  @IsStorableJson()
  readonly result?: unknown;
}

export class FailTaskBody extends TaskClaimBody {
  @ApiProperty({ maxLength: 2_000, example: 'The price page did not answer.' })
  @inOrder(IsString(), MinLength(1), MaxLength(2_000), IsStorableText())
  readonly message!: string;

  @ApiPropertyOptional({ type: String, default: 'task_failed', example: 'page_unavailable' })
  @MayBeAbsent()
  @Matches(/^[a-z][a-z0-9_]{0,63}$/)
  readonly code: string = 'task_failed';

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    example: false,
    description: 'True fails the task for good, whatever attempts are left.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly final: boolean = false;
}

export class SwarmTasksQuery extends PageQuery {
  @ApiPropertyOptional({ enum: TASK_STATES, example: 'open', description: 'Only the tasks in this state.' })
  @MayBeAbsent()
  @IsIn(TASK_STATES)
  readonly state?: TaskState;
}

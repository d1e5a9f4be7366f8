import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsString, MaxLength, ValidateNested } from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { PageQuery } from '../../../platform/http/page.js';
import { formatUsd, parseUsd } from '../../../platform/money/nano-dollars.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import { CATCH_UPS, type CatchUp } from '../domain/due-times.js';
import { OVERLAPS, type Overlap } from '../domain/overlap.js';
import * as rules from '../domain/schedule-rules.js';
import type { TimingFields } from '../domain/timing.js';
import {
  SCHEDULE_STATES,
  type ScheduleBudget,
  type ScheduleFields,
  type ScheduleState,
} from '../persistence/schedule-rows.js';
import type { ScheduleFilter } from '../persistence/schedules.store.js';
import {
  AT,
  bounded,
  BUDGET,
  CATCH_UP,
  CATCH_UP_SECONDS,
  CRON,
  EVERY,
  Follows,
  INPUT,
  IsWithin,
  JITTER,
  NAME,
  OVERLAP,
  RunLimitsBody,
  TIME_ZONE,
} from './schedule-fields.js';

class TimingBody {
  @ApiPropertyOptional(CRON)
  @MayBeAbsent()
  @Follows('isCronExpression', rules.faultOfCron)
  readonly cron?: string;

  @ApiPropertyOptional(EVERY)
  @MayBeAbsent()
  @IsWithin(rules.MIN_EVERY_SECONDS, rules.MAX_EVERY_SECONDS)
  readonly every_seconds?: number;

  @ApiPropertyOptional(AT)
  @MayBeAbsent()
  @Follows('isInstant', rules.faultOfAt)
  readonly at?: string;

  /** Every time is at a whole second. */
  protected get times(): Omit<TimingFields, 'timeZone'> {
    const { cron = null, every_seconds: everySeconds = null, at } = this;
    return { cron, everySeconds, at: at === undefined ? null : new Date(Math.floor(Date.parse(at) / 1_000) * 1_000) };
  }
}

export class PreviewScheduleBody extends TimingBody {
  @ApiPropertyOptional({ ...TIME_ZONE, default: 'UTC' })
  @MayBeAbsent()
  @Follows('isTimeZone', rules.faultOfTimeZone)
  readonly time_zone: string = 'UTC';

  @ApiPropertyOptional({ ...bounded(1, 100), default: 5, example: 3 })
  @MayBeAbsent()
  @IsWithin(1, 100)
  readonly count: number = 5;

  get timing(): TimingFields {
    return { ...this.times, timeZone: this.time_zone };
  }
}

export class CreateScheduleBody extends TimingBody {
  @ApiProperty({ type: String, maxLength: 63, example: 'daily-report', description: 'Id or slug of the agent.' })
  @IsString()
  @MaxLength(63)
  readonly agent_id!: string;

  @ApiProperty(NAME)
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({ ...TIME_ZONE, default: 'UTC' })
  @MayBeAbsent()
  @Follows('isTimeZone', rules.faultOfTimeZone)
  readonly time_zone: string = 'UTC';

  @ApiProperty(INPUT)
  @Follows('isRunInput', rules.faultOfInput)
  readonly input!: unknown;

  @ApiPropertyOptional(BUDGET)
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => RunLimitsBody)
  readonly budget?: RunLimitsBody;

  @ApiPropertyOptional({ ...OVERLAP, default: 'skip' })
  @MayBeAbsent()
  @IsIn(OVERLAPS)
  readonly overlap: Overlap = 'skip';

  @ApiPropertyOptional({ ...CATCH_UP, default: 'latest' })
  @MayBeAbsent()
  @IsIn(CATCH_UPS)
  readonly catch_up: CatchUp = 'latest';

  @ApiPropertyOptional({ ...CATCH_UP_SECONDS, default: 3_600 })
  @MayBeAbsent()
  @IsWithin(rules.MIN_CATCH_UP_SECONDS, rules.MAX_CATCH_UP_SECONDS)
  readonly catch_up_seconds: number = 3_600;

  @ApiPropertyOptional({ ...JITTER, default: 0 })
  @MayBeAbsent()
  @IsWithin(0, rules.MAX_JITTER_SECONDS)
  readonly jitter_seconds: number = 0;

  get fields(): ScheduleFields {
    const { name, time_zone: timeZone, input, overlap, catch_up: catchUp } = this;
    const { catch_up_seconds: catchUpSeconds, jitter_seconds: jitterSeconds } = this;
    const budget = this.budget === undefined ? null : budgetOf(this.budget);
    return { ...this.times, name, timeZone, input, budget, overlap, catchUp, catchUpSeconds, jitterSeconds };
  }
}

export class UpdateScheduleBody extends TimingBody {
  @ApiPropertyOptional(NAME)
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional(TIME_ZONE)
  @MayBeAbsent()
  @Follows('isTimeZone', rules.faultOfTimeZone)
  readonly time_zone?: string;

  @ApiPropertyOptional(INPUT)
  @MayBeAbsent()
  @Follows('isRunInput', rules.faultOfInput)
  readonly input?: unknown;

  @ApiPropertyOptional({ ...BUDGET, nullable: true, description: 'Limits of each run. Null removes them.' })
  @MayBeCleared()
  @IsObject()
  @ValidateNested()
  @Type(() => RunLimitsBody)
  readonly budget?: RunLimitsBody | null;

  @ApiPropertyOptional(OVERLAP)
  @MayBeAbsent()
  @IsIn(OVERLAPS)
  readonly overlap?: Overlap;

  @ApiPropertyOptional(CATCH_UP)
  @MayBeAbsent()
  @IsIn(CATCH_UPS)
  readonly catch_up?: CatchUp;

  @ApiPropertyOptional(CATCH_UP_SECONDS)
  @MayBeAbsent()
  @IsWithin(rules.MIN_CATCH_UP_SECONDS, rules.MAX_CATCH_UP_SECONDS)
  readonly catch_up_seconds?: number;

  @ApiPropertyOptional(JITTER)
  @MayBeAbsent()
  @IsWithin(0, rules.MAX_JITTER_SECONDS)
  readonly jitter_seconds?: number;

  /** One of the three timings replaces the others. */
  get fields(): Partial<ScheduleFields> {
    const { name, time_zone: timeZone, input, budget, overlap, catch_up: catchUp } = this;
    const { catch_up_seconds: catchUpSeconds, jitter_seconds: jitterSeconds } = this;
    const isRetimed = Object.values(this.times).some((value) => value !== null);
    return {
      ...(isRetimed ? this.times : {}),
      ...(name === undefined ? {} : { name }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(input === undefined ? {} : { input }),
      ...(budget === undefined ? {} : { budget: budget === null ? null : budgetOf(budget) }),
      ...(overlap === undefined ? {} : { overlap }),
      ...(catchUp === undefined ? {} : { catchUp }),
      ...(catchUpSeconds === undefined ? {} : { catchUpSeconds }),
      ...(jitterSeconds === undefined ? {} : { jitterSeconds }),
    };
  }
}

function budgetOf({ cost, ...limits }: RunLimitsBody): ScheduleBudget {
  return { ...(cost === undefined ? {} : { cost: formatUsd(parseUsd(cost)) }), ...limits };
}

export class SchedulesQuery extends PageQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only schedules of this agent.',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(63)
  readonly agent_id?: string;

  @ApiPropertyOptional({ enum: SCHEDULE_STATES, example: 'active', description: 'Only schedules in this state.' })
  @MayBeAbsent()
  @IsIn(SCHEDULE_STATES)
  readonly state?: ScheduleState;

  get filter(): ScheduleFilter {
    return { agentId: this.agent_id, state: this.state };
  }
}

/** Exactly one of `cron`, `every_seconds` and `at` is given. */
export const PREVIEW_SCHEDULE_EXAMPLES = {
  cron: { summary: 'Every weekday at nine', value: { cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin', count: 3 } },
  interval: { summary: 'Every hour', value: { every_seconds: 3_600 } },
};

export const CREATE_SCHEDULE_EXAMPLES = {
  cron: {
    summary: 'Every weekday at nine',
    value: {
      agent_id: 'daily-report',
      name: 'Morning report',
      cron: '0 9 * * 1-5',
      time_zone: 'Europe/Berlin',
      input: 'Report on yesterday.',
    },
  },
  interval: {
    summary: 'Every hour, and what was missed',
    value: { agent_id: 'daily-report', name: 'Hourly', every_seconds: 3_600, input: 'Look.', catch_up: 'all' },
  },
};

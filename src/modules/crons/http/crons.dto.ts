import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { faultOfPath, faultOfSchedule, faultOfTimeZone } from '../cron-rules.js';
import type { ShownCron } from '../domain/crons.service.js';
import { CRON_OUTCOMES, type CronOutcome, type CronRun } from '../persistence/cron-run.entity.js';
import type { CronFields, CronSource } from '../persistence/cron.entity.js';

/** A field that a rule of crons checks, with the message of the rule. */
const Follows = (name: string, faultOf: (value: unknown) => string | undefined): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => faultOf(value) === undefined,
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} ${faultOf(fault?.value) ?? 'is invalid'}`,
    },
  });

const PATH = { example: '/api/cleanup', maxLength: 512, description: 'Path of the app that is requested with GET.' };
const SCHEDULE = {
  example: '0 5 * * *',
  maxLength: 200,
  description: 'Cron expression of five fields: minute, hour, day of month, month and day of week.',
};
const TIME_ZONE = { type: String, example: 'Europe/Berlin', description: 'Time zone of the schedule.' };

export class CreateCronBody {
  @ApiProperty(PATH)
  @Follows('isCronPath', faultOfPath)
  readonly path!: string;

  @ApiProperty(SCHEDULE)
  @Follows('isCronExpression', faultOfSchedule)
  readonly schedule!: string;

  @ApiPropertyOptional({ ...TIME_ZONE, default: 'UTC' })
  @MayBeAbsent()
  @Follows('isTimeZone', faultOfTimeZone)
  readonly time_zone: string = 'UTC';

  @ApiPropertyOptional({ type: Boolean, default: true, example: true })
  @MayBeAbsent()
  @IsBoolean()
  readonly enabled: boolean = true;

  get fields(): CronFields {
    const { path, schedule, time_zone: timeZone, enabled } = this;
    return { path, schedule, timeZone, enabled };
  }
}

export class ChangeCronBody {
  @ApiPropertyOptional({ type: String, ...PATH })
  @MayBeAbsent()
  @Follows('isCronPath', faultOfPath)
  readonly path?: string;

  @ApiPropertyOptional({ type: String, ...SCHEDULE })
  @MayBeAbsent()
  @Follows('isCronExpression', faultOfSchedule)
  readonly schedule?: string;

  @ApiPropertyOptional(TIME_ZONE)
  @MayBeAbsent()
  @Follows('isTimeZone', faultOfTimeZone)
  readonly time_zone?: string;

  @ApiPropertyOptional({ type: Boolean, example: false })
  @MayBeAbsent()
  @IsBoolean()
  readonly enabled?: boolean;

  get fields(): Partial<CronFields> {
    const { path, schedule, time_zone: timeZone, enabled } = this;
    return {
      ...(path === undefined ? {} : { path }),
      ...(schedule === undefined ? {} : { schedule }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(enabled === undefined ? {} : { enabled }),
    };
  }
}

export class CronView {
  @ApiProperty({ example: 'cron_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ example: '/api/cleanup' }) path!: string;
  @ApiProperty({ example: '0 5 * * *' }) schedule!: string;
  @ApiProperty({ example: 'UTC' }) time_zone!: string;
  @ApiProperty() enabled!: boolean;
  @ApiProperty({ enum: ['api', 'file'], description: 'file: set by vercel.json of the production deploy.' })
  source!: CronSource;
  @ApiProperty({
    enum: ['active', 'disabled', 'paused'],
    description: 'paused: the plan does not include crons, so it does not run.',
  })
  state!: ShownCron['state'];
  @ApiProperty({ type: [String], format: 'date-time', description: 'The next three times. Empty unless active.' })
  next_runs!: string[];
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of({ cron, state, nextRuns }: ShownCron): CronView {
    return {
      id: cron.id,
      project_id: cron.projectId,
      path: cron.path,
      schedule: cron.schedule,
      time_zone: cron.timeZone,
      enabled: cron.enabled,
      source: cron.source,
      state,
      next_runs: nextRuns.map((time) => time.toISOString()),
      created_at: cron.createdAt.toISOString(),
      updated_at: cron.updatedAt.toISOString(),
    };
  }
}

export class CronRunView {
  @ApiProperty({ example: 'crun_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({
    enum: CRON_OUTCOMES,
    description:
      'succeeded: a status below 400. failed: another status, or none. overlapped: the last run was still active. ' +
      'missed: the service was not running. no_production: nothing was in production. lost: the process ended.',
  })
  outcome!: CronOutcome;
  @ApiPropertyOptional({ type: 'integer', example: 200, description: 'Status of the answer, if there was one.' })
  status?: number;
  @ApiProperty({ enum: ['schedule', 'manual'], description: 'manual: begun by `POST …/run`.' })
  trigger!: 'schedule' | 'manual';
  @ApiProperty({ format: 'date-time' }) scheduled_for!: string;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Absent while the run is active.' }) duration_ms?: number;

  static of({ id, outcome, status, isManual, scheduledFor, startedAt, finishedAt }: CronRun): CronRunView {
    return {
      id,
      outcome,
      ...(status === null ? {} : { status }),
      trigger: isManual ? 'manual' : 'schedule',
      scheduled_for: scheduledFor.toISOString(),
      started_at: startedAt.toISOString(),
      ...(finishedAt === null ? {} : { duration_ms: finishedAt.getTime() - startedAt.getTime() }),
    };
  }
}

export class CronAnswer {
  @ApiProperty({ type: CronView }) data!: CronView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class CronsAnswer {
  @ApiProperty({ type: [CronView] }) data!: CronView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class CronRunAnswer {
  @ApiProperty({ type: CronRunView }) data!: CronRunView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class CronRunsAnswer {
  @ApiProperty({ type: [CronRunView] }) data!: CronRunView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

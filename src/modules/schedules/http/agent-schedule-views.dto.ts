import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { CATCH_UPS, type CatchUp } from '../domain/due-times.js';
import { OVERLAPS, type Overlap } from '../domain/overlap.js';
import { nextFiresOf } from '../domain/timing.js';
import {
  type Fire,
  FIRE_STATES,
  type FireState,
  PAUSE_CAUSES,
  type PauseCause,
  SCHEDULE_STATES,
  type ScheduleBudget,
  type ScheduleState,
  type ScheduleWithLastFire,
} from '../persistence/schedule-rows.js';
import { AT, CRON, EVERY, INPUT, RunLimitsBody, TIME_ZONE } from './schedule-fields.js';

const TIME = '2026-12-01T09:00:00.000Z';

export class FireView {
  @ApiProperty({ example: 'fir_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'sch_01jd3m8yeqf5rb0xkq5ym8s6tn' }) schedule_id!: string;
  @ApiProperty({ format: 'date-time', example: TIME, description: 'The planned time, before jitter.' }) due_at!: string;
  @ApiProperty({
    enum: FIRE_STATES,
    example: 'started',
    description:
      'due: waits for the end of the active run. started: has a run. skipped: another run stands for it. ' +
      'missed: too old when the service could have started it. failed: no run could be created.',
  })
  state!: FireState;
  @ApiPropertyOptional({
    type: String,
    example: 'overlap',
    description:
      'Why there is no run: `overlap`, `replaced`, `catch_up`, `outside_catch_up`, `schedule_paused`, ' +
      '`agent_paused`, `agent_not_found`, `feature_not_in_plan` or the code of an error.',
  })
  reason?: string;
  @ApiPropertyOptional({ type: String, example: 'run_01jd3m8yeqf5rb0xkq5ym8s6tn' }) run_id?: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: '2026-12-01T09:00:00.412Z',
    description: 'When it was decided. Absent while it is due.',
  })
  fired_at?: string;

  static of({ id, scheduleId, dueAt, state, reason, runId, firedAt }: Fire): FireView {
    return {
      id,
      schedule_id: scheduleId,
      due_at: dueAt.toISOString(),
      state,
      ...(reason === null ? {} : { reason }),
      ...(runId === null ? {} : { run_id: runId }),
      ...(firedAt === null ? {} : { fired_at: firedAt.toISOString() }),
    };
  }
}

export class AgentScheduleView {
  @ApiProperty({ example: 'sch_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) agent_id!: string;
  @ApiProperty({ example: 'Report of the morning' }) name!: string;
  @ApiPropertyOptional(CRON) cron?: string;
  @ApiPropertyOptional(EVERY) every_seconds?: number;
  @ApiPropertyOptional(AT) at?: string;
  @ApiProperty(TIME_ZONE) time_zone!: string;
  @ApiProperty(INPUT) input!: unknown;
  @ApiPropertyOptional({ type: RunLimitsBody, example: { cost: '0.5', steps: 20 } }) budget?: ScheduleBudget;
  @ApiProperty({ enum: OVERLAPS, example: 'skip' }) overlap!: Overlap;
  @ApiProperty({ enum: CATCH_UPS, example: 'latest' }) catch_up!: CatchUp;
  @ApiProperty({ type: 'integer', example: 3_600 }) catch_up_seconds!: number;
  @ApiProperty({ type: 'integer', example: 0 }) jitter_seconds!: number;
  @ApiProperty({ enum: SCHEDULE_STATES, example: 'active' }) state!: ScheduleState;
  @ApiPropertyOptional({
    enum: PAUSE_CAUSES,
    example: 'failures',
    description:
      'person: with `POST …/pause`. failures: five runs in a row failed. plan: the plan does not include it. ' +
      'finished: its only time has passed.',
  })
  paused_because?: PauseCause;
  @ApiProperty({
    type: [String],
    format: 'date-time',
    example: [TIME, '2026-12-02T09:00:00.000Z'],
    description: 'The next two planned times, before jitter. Empty unless it is active.',
  })
  next_fires!: string[];
  @ApiPropertyOptional({ type: FireView, description: 'Absent before the first one.' }) last_fire?: FireView;
  @ApiProperty({ type: 'integer', example: 0 }) failures_in_a_row!: number;
  @ApiProperty({ format: 'date-time', example: TIME }) created_at!: string;
  @ApiProperty({ format: 'date-time', example: TIME }) updated_at!: string;
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn', description: 'The person whose permissions runs have.' })
  created_by!: string;

  static of(schedule: ScheduleWithLastFire): AgentScheduleView {
    const { cron, everySeconds, at, budget, pausedBecause, lastFire } = schedule;
    return {
      id: schedule.id,
      org_id: schedule.orgId,
      agent_id: schedule.agentId,
      name: schedule.name,
      ...(cron === null ? {} : { cron }),
      ...(everySeconds === null ? {} : { every_seconds: everySeconds }),
      ...(at === null ? {} : { at: at.toISOString() }),
      time_zone: schedule.timeZone,
      input: schedule.input,
      ...(budget === null ? {} : { budget }),
      overlap: schedule.overlap,
      catch_up: schedule.catchUp,
      catch_up_seconds: schedule.catchUpSeconds,
      jitter_seconds: schedule.jitterSeconds,
      state: schedule.state,
      ...(pausedBecause === null ? {} : { paused_because: pausedBecause }),
      next_fires: nextFiresOf(schedule).map((time) => time.toISOString()),
      ...(lastFire === null ? {} : { last_fire: FireView.of(lastFire) }),
      failures_in_a_row: schedule.failuresInARow,
      created_at: schedule.createdAt.toISOString(),
      updated_at: schedule.updatedAt.toISOString(),
      created_by: schedule.createdBy,
    };
  }
}

export class ScheduleTimesView {
  @ApiProperty({ type: [String], format: 'date-time', example: [TIME] }) times!: string[];

  static of(times: readonly Date[]): ScheduleTimesView {
    return { times: times.map((time) => time.toISOString()) };
  }
}

export class ScheduleAnswer {
  @ApiProperty({ type: AgentScheduleView }) data!: AgentScheduleView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SchedulePageAnswer {
  @ApiProperty({ type: [AgentScheduleView] }) data!: AgentScheduleView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class FireAnswer {
  @ApiProperty({ type: FireView }) data!: FireView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class FirePageAnswer {
  @ApiProperty({ type: [FireView] }) data!: FireView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class ScheduleTimesAnswer {
  @ApiProperty({ type: ScheduleTimesView }) data!: ScheduleTimesView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

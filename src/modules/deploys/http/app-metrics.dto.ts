import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsISO8601, IsString } from 'class-validator';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { AppMetricsPoint } from '../../hosting/app-metrics.service.js';

const STEPS_SECONDS = [60, 300, 900, 3_600, 21_600, 86_400] as const;
const MAX_POINTS = 1_500;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const TIME = { type: String, format: 'date-time' };

export interface MetricsPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
}

export class AppMetricsQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only this deploy. Defaults to all deploys of the project together.',
  })
  @MayBeAbsent()
  @IsString()
  readonly deploy?: string;

  @ApiPropertyOptional({
    ...TIME,
    example: '2026-01-31T10:00:00Z',
    description: 'Start. Defaults to an hour before `to`.',
  })
  @MayBeAbsent()
  @IsISO8601({ strict: true })
  readonly from?: string;

  @ApiPropertyOptional({ ...TIME, example: '2026-01-31T11:00:00Z', description: 'End, excluded. Defaults to now.' })
  @MayBeAbsent()
  @IsISO8601({ strict: true })
  readonly to?: string;

  @ApiPropertyOptional({
    type: 'integer',
    enum: STEPS_SECONDS,
    default: 60,
    example: 300,
    description: `Length of a point in seconds. A request has at most ${MAX_POINTS} points.`,
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @IsIn(STEPS_SECONDS)
  readonly step: number = 60;

  /** @throws {RequestInvalid} `invalid_request` */
  periodAt(now: Date): MetricsPeriod {
    const to = this.to === undefined ? new Date(Math.ceil(now.getTime() / MINUTE_MS) * MINUTE_MS) : new Date(this.to);
    const from = this.from === undefined ? new Date(to.getTime() - HOUR_MS) : new Date(this.from);
    const lengthMs = to.getTime() - from.getTime();
    if (lengthMs <= 0) throw fault('from', 'is_before', 'from must be before to');
    if (lengthMs / 1000 / this.step > MAX_POINTS)
      throw fault('step', 'max_points', `step must be longer: the limit is ${MAX_POINTS} points`);
    return { from, to, stepSeconds: this.step };
  }
}

const fault = (path: string, code: string, message: string): RequestInvalid =>
  new RequestInvalid([{ path, in: 'query', code, message }]);

class AppMetricsPointView {
  @ApiProperty({ format: 'date-time', description: 'Start of the point.' }) time!: string;
  @ApiProperty({ type: 'integer' }) requests!: number;
  @ApiProperty({ type: 'integer', description: 'Answers with a status of 500 or above.' }) errors!: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Median time to the end of an answer, estimated.' })
  p50_ms!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: '95th percentile of the same time.' })
  p95_ms!: number | null;
  @ApiProperty({ type: 'integer', description: 'Sent to visitors, including headers.' }) bytes!: number;
  @ApiProperty({ type: 'integer', description: 'How often a server ended by itself.' }) restarts!: number;
  @ApiProperty({ type: 'integer', description: 'The most memory of a server since its start; 0 without a server.' })
  memory_peak_bytes!: number;

  static of(point: AppMetricsPoint): AppMetricsPointView {
    const { at, requests, errors, p50Ms, p95Ms, bytes, restarts, memoryPeakBytes } = point;
    return {
      time: at.toISOString(),
      requests,
      errors,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
      bytes,
      restarts,
      memory_peak_bytes: memoryPeakBytes,
    };
  }
}

export class AppMetricsView {
  @ApiProperty({ format: 'date-time' }) from!: string;
  @ApiProperty({ format: 'date-time' }) to!: string;
  @ApiProperty({ type: 'integer', description: 'Seconds.' }) step!: number;
  @ApiProperty({ type: [AppMetricsPointView], description: 'Points in which something happened, oldest first.' })
  points!: AppMetricsPointView[];

  static of({ from, to, stepSeconds }: MetricsPeriod, points: readonly AppMetricsPoint[]): AppMetricsView {
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      step: stepSeconds,
      points: points.map((point) => AppMetricsPointView.of(point)),
    };
  }
}

export class AppMetricsAnswer {
  @ApiProperty({ type: AppMetricsView }) data!: AppMetricsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

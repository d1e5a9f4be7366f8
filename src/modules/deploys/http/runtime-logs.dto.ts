import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import {
  APP_LOG_LEVELS,
  type AppLogLevel,
  type AppLogLine,
  type AppLogStream,
} from '../../hosting/runtime-logs.service.js';
import { LOG_STREAMS } from '../domain/deploy-facts.js';
import type { RuntimeLogRequest } from '../logs/runtime-log-follower.js';

const MAX_SEQ = 999_999_999_999_999;

export class RuntimeLogsQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only lines of this deploy. Defaults to all deploys of the project.',
  })
  @MayBeAbsent()
  @IsString()
  readonly deploy?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'warn,error',
    description: `Only lines of these levels, separated by commas: ${APP_LOG_LEVELS.join(', ')}.`,
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsIn(APP_LOG_LEVELS, { each: true, message: `level must be a comma-separated list of ${APP_LOG_LEVELS.join(', ')}` })
  readonly level?: AppLogLevel[];

  @ApiPropertyOptional({
    example: 120,
    type: 'integer',
    minimum: 0,
    maximum: MAX_SEQ,
    description: 'Only lines after this `seq`. The header `Last-Event-ID` takes precedence.',
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  readonly after?: number;

  @ApiPropertyOptional({
    example: 100,
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 500,
    description: 'Number of lines: the last ones or, with `after`, the next ones.',
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly limit: number = 500;

  @ApiPropertyOptional({
    example: false,
    type: Boolean,
    default: false,
    description: 'Sends the last `limit` lines, and then new lines as they are printed.',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  readonly follow: boolean = false;

  requestAfter(lastSeen: number | undefined): RuntimeLogRequest {
    return { levels: this.level, after: lastSeen ?? this.after, limit: this.limit };
  }
}

/** A line of a server, both as a line of NDJSON and as `data` of a server-sent event. */
export class RuntimeLogLineView {
  @ApiProperty({ type: 'integer', description: 'Increases with each line, with gaps.' }) seq!: number;
  @ApiProperty({ format: 'date-time' }) time!: string;
  @ApiProperty({ example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn' }) deploy_id!: string;
  @ApiProperty({
    enum: APP_LOG_LEVELS,
    description:
      'The `level` or `severity` of a JSON line; otherwise info for stdout and error for stderr. ' +
      'system: written by the platform.',
  })
  level!: AppLogLevel;
  @ApiProperty({ enum: LOG_STREAMS }) stream!: AppLogStream;
  @ApiProperty({ description: 'One line, with the values of secrets masked.' }) text!: string;

  static of({ seq, at, deployId, level, stream, text }: AppLogLine): RuntimeLogLineView {
    return { seq, time: at.toISOString(), deploy_id: deployId, level, stream, text };
  }
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { METERS } from '../../metering/meter.js';
import type { Forecast } from '../forecast/forecast.service.js';

const USD = { description: 'Amount in USD, as a decimal.', example: '4.123456789' };
const UNLIMITED = { nullable: true, description: '`null` if unlimited.' };

class CallsForecastView {
  @ApiProperty({ type: 'integer', ...UNLIMITED }) limit!: number | null;
  @ApiProperty({ type: 'integer', ...UNLIMITED }) used!: number | null;
  @ApiProperty({ type: 'integer', ...UNLIMITED }) remaining!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Calls per hour of this UTC day so far.' }) per_hour!:
    number | null;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the calls run out. Absent if they last until `resets_at`.',
  })
  run_out_at?: string;
  @ApiProperty({ format: 'date-time' }) resets_at!: string;
}

class CreditsForecastView {
  @ApiProperty(USD) balance!: string;
  @ApiProperty({ description: 'The part of the balance that is held for running work.' }) held!: string;
  @ApiProperty({ description: 'Cost of the usage of the last 24 hours in USD.' }) per_day!: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the credits run out. Absent if nothing is used, or they last for ten years.',
  })
  run_out_at?: string;
}

class MonthForecastView {
  @ApiProperty({ description: 'Cost of the month so far in USD.' }) cost!: string;
  @ApiProperty({ description: 'Cost at the end of the month, at the rate of the last 24 hours.' })
  projected_cost!: string;
}

class TopUsageView {
  @ApiProperty({ enum: METERS }) meter!: string;
  @ApiPropertyOptional({ type: String }) model?: string;
  @ApiPropertyOptional({ type: String }) project_id?: string;
  @ApiProperty(USD) cost!: string;
  @ApiProperty({ description: 'Share of the cost of the last 24 hours, from 0 to 1.' }) share!: number;
}

export class ForecastView {
  @ApiProperty({ type: CallsForecastView }) calls!: CallsForecastView;
  @ApiProperty({ type: CreditsForecastView }) credits!: CreditsForecastView;
  @ApiProperty({ type: MonthForecastView }) month!: MonthForecastView;
  @ApiProperty({ type: [TopUsageView], description: 'The five most expensive items of the last 24 hours.' })
  top!: TopUsageView[];

  static of({ calls, credits, month, top }: Forecast): ForecastView {
    return {
      calls: {
        limit: calls.limit,
        used: calls.used,
        remaining: calls.remaining,
        per_hour: calls.perHour === null ? null : Math.round(calls.perHour * 100) / 100,
        ...(calls.runOutAt === undefined ? {} : { run_out_at: calls.runOutAt.toISOString() }),
        resets_at: calls.resetsAt.toISOString(),
      },
      credits: {
        balance: formatUsd(credits.balanceNano),
        held: formatUsd(credits.heldNano),
        per_day: formatUsd(credits.perDayNano),
        ...(credits.runOutAt === undefined ? {} : { run_out_at: credits.runOutAt.toISOString() }),
      },
      month: { cost: formatUsd(month.costNano), projected_cost: formatUsd(month.projectedNano) },
      top: top.map(({ meter, model, projectId, costNano, share }) => ({
        meter,
        ...(model === undefined ? {} : { model }),
        ...(projectId === undefined ? {} : { project_id: projectId }),
        cost: formatUsd(costNano),
        share,
      })),
    };
  }
}

export class ForecastAnswer {
  @ApiProperty({ type: ForecastView }) data!: ForecastView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

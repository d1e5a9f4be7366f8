import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { IsUsd } from '../../../platform/http/money-fields.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import { CATCH_UPS } from '../domain/due-times.js';
import { OVERLAPS } from '../domain/overlap.js';
import * as rules from '../domain/schedule-rules.js';
import type { ScheduleBudget } from '../persistence/schedule-rows.js';

/** A field that a rule of schedules checks, with the message of the rule. */
export const Follows = (name: string, faultOf: (value: unknown) => string | undefined): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => faultOf(value) === undefined,
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} ${faultOf(fault?.value) ?? 'is invalid'}`,
    },
  });

export const IsWithin = (min: number, max: number): PropertyDecorator => inOrder(IsInt(), Min(min), Max(max));

export const bounded = (minimum: number, maximum: number): { type: 'integer'; minimum: number; maximum: number } => ({
  type: 'integer',
  minimum,
  maximum,
});

export const NAME = { type: String, maxLength: 100, example: 'Report of the morning' };
export const CRON = {
  type: String,
  maxLength: 200,
  example: '0 9 * * mon-fri',
  description: 'Cron expression of five fields, in the time zone. Instead of `every_seconds` and `at`.',
};
export const EVERY = {
  ...bounded(rules.MIN_EVERY_SECONDS, rules.MAX_EVERY_SECONDS),
  example: 900,
  description: 'Seconds between two fires, counted from when this was set. Instead of `cron` and `at`.',
};
export const AT = {
  type: String,
  format: 'date-time',
  example: '2026-12-01T09:00:00Z',
  description: 'The only time to fire, with its offset. Instead of `cron` and `every_seconds`.',
};
export const TIME_ZONE = { type: String, example: 'Europe/Berlin', description: 'Time zone of IANA for `cron`.' };
export const INPUT = {
  oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
  example: 'Write the report of yesterday.',
  description: `Input of each run: text or an object, at most ${rules.MAX_INPUT_BYTES} bytes of JSON.`,
};
export const OVERLAP = {
  enum: OVERLAPS,
  example: 'skip',
  description:
    'When the last run is active: skip: this time passes. buffer_one: one time waits for its end. ' +
    'cancel_other: it is cancelled. allow: both run.',
};
export const CATCH_UP = {
  enum: CATCH_UPS,
  example: 'latest',
  description: 'After an outage: the latest time alone is made up for, or all (at most 100).',
};
export const CATCH_UP_SECONDS = {
  ...bounded(rules.MIN_CATCH_UP_SECONDS, rules.MAX_CATCH_UP_SECONDS),
  example: 3_600,
  description: 'A time that is later than this is missed.',
};
export const JITTER = {
  ...bounded(0, rules.MAX_JITTER_SECONDS),
  example: 60,
  description: 'Each time fires up to this much later, always equally much. Must be below the shortest interval.',
};

/** The limits of one run. They can only be lower than those of the agent. */
export class RunLimitsBody implements ScheduleBudget {
  @ApiPropertyOptional({ type: String, example: '0.5', description: 'USD, as a decimal.' })
  @MayBeAbsent()
  @IsUsd({ least: 1n })
  readonly cost?: string;

  @ApiPropertyOptional({ ...bounded(1, 1_000), example: 20 })
  @MayBeAbsent()
  @IsWithin(1, 1_000)
  readonly steps?: number;

  @ApiPropertyOptional({ ...bounded(10, 86_400), example: 600 })
  @MayBeAbsent()
  @IsWithin(10, 86_400)
  readonly active_seconds?: number;

  @ApiPropertyOptional({ ...bounded(0, 10_000), example: 50 })
  @MayBeAbsent()
  @IsWithin(0, 10_000)
  readonly tool_calls?: number;
}

export const BUDGET = { type: RunLimitsBody, example: { cost: '0.5', steps: 20 }, description: 'Limits of each run.' };

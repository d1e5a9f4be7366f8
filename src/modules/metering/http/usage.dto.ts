import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsString, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { displayQuantity, type Meter, METER_UNITS, METERS } from '../meter.js';
import { monthOf } from '../month.js';
import { USAGE_GROUPS, type UsageGroup, type UsageReportLine } from '../usage-report.service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest time range of one request. */
const MAX_DAYS = 400;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Parses a day or a time. Returns undefined for anything that is not a whole hour. */
function hourOf(given: unknown): Date | undefined {
  if (typeof given !== 'string' || !(DAY.test(given) || TIME.test(given))) return undefined;
  const at = new Date(given);
  return at.getTime() % HOUR_MS === 0 ? at : undefined;
}

const IsHour = (): PropertyDecorator =>
  ValidateBy({
    name: 'isHour',
    validator: {
      validate: (value: unknown) => hourOf(value) !== undefined,
      defaultMessage: (fault) =>
        `${fault?.property ?? 'The time'} must be a day or a time at a full hour, ` +
        'such as 2026-11-01 or 2026-11-01T06:00:00Z',
    },
  });

const IsAfterStart = (): PropertyDecorator =>
  ValidateBy({
    name: 'isAfterStart',
    validator: {
      validate: (value: unknown, facts) => {
        const [from, to] = [hourOf((facts?.object as UsageQuery).from), hourOf(value)];
        return (
          from === undefined || to === undefined || (to > from && to.getTime() - from.getTime() <= MAX_DAYS * DAY_MS)
        );
      },
      defaultMessage: () => `to must be later than from, by at most ${MAX_DAYS} days`,
    },
  });

const GROUPS = ['meter', ...USAGE_GROUPS] as const;

export class UsageQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'Start as a day or a time at a full hour. Default: the beginning of the month (UTC).',
    example: '2026-11-01',
  })
  @MayBeAbsent()
  @IsHour()
  readonly from?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'End, exclusive. Default: the end of the current hour.',
    example: '2026-12-01',
  })
  @MayBeAbsent()
  @IsHour()
  @IsAfterStart()
  readonly to?: string;

  @ApiPropertyOptional({
    type: String,
    description: `Comma-separated groups besides the meter: ${GROUPS.join(', ')}.`,
    example: 'meter,project,day',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsString({ each: true })
  @IsIn(GROUPS, { each: true, message: `group_by must be a comma-separated list of ${GROUPS.join(', ')}` })
  readonly group_by?: string[];

  timeAt(now: Date): { from: Date; to: Date } {
    const to = hourOf(this.to) ?? new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
    const from = hourOf(this.from) ?? monthOf(new Date(to.getTime() - 1)).start;
    // A start in the future yields an empty range.
    return { from, to: to < from ? from : to };
  }

  get groups(): ReadonlySet<UsageGroup> {
    return new Set((this.group_by ?? []).filter((group): group is UsageGroup => group !== 'meter'));
  }
}

class UsageView {
  @ApiProperty({ enum: METERS }) meter!: Meter;
  @ApiPropertyOptional({ type: String }) model?: string;
  @ApiPropertyOptional({ type: String, description: 'Absent for usage outside of projects.' }) project_id?: string;
  @ApiPropertyOptional({ type: String, format: 'date' }) day?: string;
  @ApiProperty({ description: 'Quantity as digits.', example: '3600000' }) quantity!: string;
  @ApiProperty({ enum: METER_UNITS }) unit!: string;
  @ApiProperty({ description: 'Rounded quantity for display.', example: '1 h' }) display_quantity!: string;
  @ApiProperty({ description: 'Cost in USD, as a decimal.', example: '0.1' }) cost!: string;

  static of({ meter, model, projectId, day, quantity, unit, costNano }: UsageReportLine): UsageView {
    return {
      meter,
      ...(model === undefined ? {} : { model }),
      ...(projectId === undefined ? {} : { project_id: projectId }),
      ...(day === undefined ? {} : { day }),
      quantity: quantity.toString(),
      unit,
      display_quantity: displayQuantity(meter, quantity),
      cost: formatUsd(costNano),
    };
  }
}

class UsageMeta {
  @ApiProperty() request_id!: string;
  @ApiProperty({ format: 'date-time' }) from!: string;
  @ApiProperty({ format: 'date-time', description: 'End of the time range, exclusive.' }) to!: string;
  @ApiProperty({ description: 'Cost of all lines in USD.', example: '1.234567891' }) cost!: string;
}

export class UsageAnswer {
  @ApiProperty({ type: [UsageView] }) data!: UsageView[];
  @ApiProperty({ type: UsageMeta }) meta!: UsageMeta;
}

export const usageAnswerOf = (
  lines: readonly UsageReportLine[],
  { from, to }: { from: Date; to: Date },
): [UsageView[], Omit<UsageMeta, 'request_id'>] => [
  lines.map((line) => UsageView.of(line)),
  {
    from: from.toISOString(),
    to: to.toISOString(),
    cost: formatUsd(lines.reduce((sum, { costNano }) => sum + costNano, 0n)),
  },
];

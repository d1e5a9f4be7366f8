import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, ArrayNotEmpty, ArrayUnique, IsIn, IsInt, IsISO8601, Matches, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { IsUsd } from '../../../platform/http/money-fields.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import { formatUsd, parseUsd } from '../../../platform/money/nano-dollars.js';
import { type Meter, METERS } from '../../metering/meter.js';
import type { CreditGrant, CreateGrantInput } from '../domain/credit-grant.js';

const DEFAULT_PRIORITY = 50;

export class GrantCreditsBody {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  @Matches(/^org_[0-9a-z]{26}$/)
  readonly orgId!: string;

  @ApiProperty({ example: '25', description: 'Amount in USD, as a decimal.' })
  @IsUsd({ least: 1n })
  readonly amountUsd!: string;

  @ApiProperty({
    example: 'Welcome credits',
    maxLength: 100,
    description: 'The reason, shown in the audit log of the organization.',
  })
  @IsTitle()
  readonly reason!: string;

  @ApiProperty({
    pattern: '^[A-Za-z0-9._-]{1,100}$',
    example: 'ticket-4711',
    description: 'An idempotency key: the credits are granted once for each key.',
  })
  @Matches(/^[A-Za-z0-9._-]{1,100}$/)
  readonly key!: string;

  @ApiPropertyOptional({
    example: DEFAULT_PRIORITY,
    type: 'integer',
    minimum: 0,
    maximum: 1_000,
    default: DEFAULT_PRIORITY,
    description: 'Grants with the lowest priority are used first. Credits of the Free plan have 100.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(1_000)
  readonly priority: number = DEFAULT_PRIORITY;

  @ApiPropertyOptional({
    example: '2035-01-31T00:00:00Z',
    type: String,
    format: 'date-time',
    description: 'When the credits expire. Without it they never do.',
  })
  @MayBeAbsent()
  @IsISO8601({ strict: true })
  readonly expiresAt?: string;

  @ApiPropertyOptional({
    example: ['sandbox_compute'],
    enum: METERS,
    isArray: true,
    description: 'The meters that the credits can pay for. Without it they pay for all.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayUnique()
  @IsIn(METERS, { each: true })
  readonly appliesTo?: Meter[];

  get input(): CreateGrantInput {
    const { orgId, amountUsd, reason, key, priority, expiresAt, appliesTo } = this;
    return {
      orgId,
      amountNano: parseUsd(amountUsd),
      reason,
      key: `operator:${key}`,
      priority,
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
      appliesTo: appliesTo ?? null,
    };
  }
}

export class GrantedCreditsView {
  @ApiProperty({ example: 'crg_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty() orgId!: string;
  @ApiProperty({ example: '25' }) amountUsd!: string;
  @ApiProperty({ example: '25' }) remainingUsd!: string;
  @ApiProperty({ description: '`false` when the key was used before.' }) created!: boolean;

  static of(orgId: string, { grant, isNew }: { grant: CreditGrant; isNew: boolean }): GrantedCreditsView {
    return {
      id: grant.id,
      orgId,
      amountUsd: formatUsd(grant.amountNano),
      remainingUsd: formatUsd(grant.remainingNano),
      created: isNew,
    };
  }
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { IsUsd } from '../../../platform/http/money-fields.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { formatUsd, parseUsd } from '../../../platform/money/nano-dollars.js';
import { type Meter, METERS } from '../../metering/meter.js';
import type { CreditBalance } from '../credit-balance.service.js';
import type { CreditGrant } from '../domain/credit-grant.js';
import type { SpendCap } from '../spend-caps/spend-caps.service.js';

export class GrantView {
  @ApiProperty({ example: 'crg_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: '5', description: 'In USD, as a decimal.' }) amount!: string;
  @ApiProperty({ example: '4.123456789', description: 'In USD, what is held included.' }) remaining!: string;
  @ApiProperty({
    type: 'integer',
    description: 'Grants are used by this, the lowest first; then by expiry, then by age.',
  })
  priority!: number;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent: never.' }) expires_at?: string;
  @ApiPropertyOptional({ enum: METERS, isArray: true, description: 'Absent: everything that is metered.' })
  applies_to?: Meter[];

  static of({ id, amountNano, remainingNano, priority, expiresAt, appliesTo }: CreditGrant): GrantView {
    return {
      id,
      amount: formatUsd(amountNano),
      remaining: formatUsd(remainingNano),
      priority,
      ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
      ...(appliesTo === null ? {} : { applies_to: [...appliesTo] }),
    };
  }
}

export class CreditsView {
  @ApiProperty({
    example: '4.123456789',
    description: 'In USD, as a decimal: what is left of all grants, what is held included.',
  })
  balance!: string;
  @ApiProperty({
    example: '0.000416667',
    description: 'In USD: of the balance, what is held for work that is under way.',
  })
  held!: string;
  @ApiProperty({ type: [GrantView], description: 'Those with something left, in the order in which they are used.' })
  grants!: GrantView[];

  static of({ balanceNano, heldNano, grants }: CreditBalance): CreditsView {
    return {
      balance: formatUsd(balanceNano),
      held: formatUsd(heldNano),
      grants: grants.map((grant) => GrantView.of(grant)),
    };
  }
}

export class CreditsAnswer {
  @ApiProperty({ type: CreditsView }) data!: CreditsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SpendCapBody {
  @ApiProperty({
    type: String,
    nullable: true,
    example: '100',
    description: 'In USD for a calendar month (UTC), as a decimal. "0": only credits are used. null: no cap.',
  })
  @ValidateIf((_, value) => value !== null)
  @IsUsd({ least: 0n })
  readonly amount!: string | null;

  get capNano(): bigint | null {
    return this.amount === null ? null : parseUsd(this.amount);
  }
}

export class SpendCapView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: '100',
    description: 'In USD for a calendar month (UTC). null: no cap.',
  })
  amount!: string | null;
  @ApiProperty({
    example: '12.5',
    description: 'In USD: usage of this month beyond the credits, what is held for work under way included.',
  })
  billed!: string;
  @ApiProperty({ example: '2026-11', description: 'The month, in UTC.' }) month!: string;

  static of({ capNano, billedNano, month }: SpendCap): SpendCapView {
    return {
      amount: capNano === null ? null : formatUsd(capNano),
      billed: formatUsd(billedNano),
      month: month.slice(0, 7),
    };
  }
}

export class SpendCapAnswer {
  @ApiProperty({ type: SpendCapView }) data!: SpendCapView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

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
  @ApiProperty({ example: '5', description: 'Granted amount in USD, as a decimal.' }) amount!: string;
  @ApiProperty({ example: '4.123456789', description: 'What is left in USD, including what is held.' })
  remaining!: string;
  @ApiProperty({
    type: 'integer',
    description: 'Grants with the lowest priority are used first, then those that expire first, then the oldest.',
  })
  priority!: number;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the credits expire. Absent if they never do.',
  })
  expires_at?: string;
  @ApiPropertyOptional({
    enum: METERS,
    isArray: true,
    description: 'The meters that the credits can pay for. Absent if they pay for all.',
  })
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
    description: 'What is left of all grants in USD, as a decimal, including what is held.',
  })
  balance!: string;
  @ApiProperty({
    example: '0.000416667',
    description: 'The part of the balance that is held for running work, in USD.',
  })
  held!: string;
  @ApiProperty({ type: [GrantView], description: 'Grants with something left, in the order in which they are used.' })
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
    description:
      'Cap in USD for a calendar month (UTC), as a decimal. `"0"` allows only credits; `null` removes the cap.',
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
    description: 'Cap in USD for a calendar month (UTC). `null` if there is none.',
  })
  amount!: string | null;
  @ApiProperty({
    example: '12.5',
    description: 'Usage of this month beyond the credits in USD, including what is held for running work.',
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

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { Envelope } from '../../../platform/http/envelope.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';

/** Free needs no payment. */
const PAID = PLAN_IDS.filter((plan) => plan !== 'free');

export class CheckoutBody {
  @ApiProperty({ example: 'pro', enum: PAID })
  @IsIn(PAID)
  readonly plan!: PlanId;
}

export class PaymentPageView {
  @ApiPropertyOptional({
    type: String,
    description: 'URL of the payment page. Open it soon, and only once. Absent in a dry run.',
  })
  url?: string;

  static envelope(url: string | undefined): Envelope<PaymentPageView> {
    return url === undefined ? new Envelope({}, { dry_run: true }) : new Envelope({ url });
  }
}

export class PaymentPageAnswer {
  @ApiProperty({ type: PaymentPageView }) data!: PaymentPageView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { BillingPeriod } from '../billing-period.js';
import { PLAN_IDS, type PlanId } from '../plan.js';
import type { Subscription } from '../subscriptions/subscriptions.service.js';

export class ChoosePlanBody {
  @ApiProperty({ enum: PLAN_IDS, description: 'A larger plan begins at once, a smaller one with the next period. The present one drops what is planned.' })
  @IsIn(PLAN_IDS)
  readonly plan!: PlanId;
}

class PeriodView {
  @ApiProperty({ format: 'date-time' }) from!: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment of the next one.' }) to!: string;

  static of({ from, to }: BillingPeriod): PeriodView {
    return { from: from.toISOString(), to: to.toISOString() };
  }
}

class PlannedChangeView {
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ format: 'date-time' }) at!: string;
}

export class SubscriptionView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ example: '49', description: 'In USD, as a decimal: what the organization pays for a whole month of the plan, before usage.' }) price_usd_per_month!: string;
  @ApiProperty({ type: PeriodView, description: 'The month, in UTC, whose invoice the present usage is for.' }) period!: PeriodView;
  @ApiPropertyOptional({ type: PlannedChangeView, description: 'Absent while none is planned.' }) planned_change?: PlannedChangeView;

  static of({ orgId, plan, priceNano, nextPlan, nextPlanAt }: Subscription, period: BillingPeriod): SubscriptionView {
    return {
      org_id: orgId,
      plan,
      price_usd_per_month: formatUsd(priceNano),
      period: PeriodView.of(period),
      ...(nextPlan === null || nextPlanAt === null ? {} : { planned_change: { plan: nextPlan, at: nextPlanAt.toISOString() } }),
    };
  }
}

export class SubscriptionAnswer {
  @ApiProperty({ type: SubscriptionView }) data!: SubscriptionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

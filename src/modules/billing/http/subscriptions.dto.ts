import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { PLAN_IDS, type PlanId, PLANS, storedBytesOf } from '../../plans/plan.js';
import type { SubscriptionState } from '../subscriptions/subscriptions.service.js';

export class ChoosePlanBody {
  @ApiProperty({
    example: 'builder',
    enum: PLAN_IDS,
    description:
      'A larger plan begins at once, a smaller one with the next period. The present one drops what is planned.',
  })
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

class PendingChangeView {
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ format: 'date-time' }) requested_at!: string;
}

class StorageView {
  @ApiProperty({ type: 'integer', example: 734003200, description: 'Bytes that the files of all deploys come to.' })
  used_bytes!: number;
  @ApiProperty({
    type: 'integer',
    example: 1073741824,
    description: 'Bytes that they can come to in the present plan.',
  })
  limit_bytes!: number;
}

export class SubscriptionView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({
    example: '49',
    description: 'In USD, as a decimal: what the organization pays for a whole month of the plan, before usage.',
  })
  price_usd_per_month!: string;
  @ApiProperty({ type: PeriodView, description: 'The month, in UTC, whose invoice the present usage is for.' })
  period!: PeriodView;
  @ApiPropertyOptional({ type: PlannedChangeView, description: 'Absent while none is planned.' })
  planned_change?: PlannedChangeView;
  @ApiPropertyOptional({
    type: PendingChangeView,
    description: 'A larger plan that waits for the approval of the operator.',
  })
  pending_change?: PendingChangeView;

  @ApiProperty({ type: StorageView, description: 'What the organization stores in deploys.' }) storage!: StorageView;

  static of({ subscription, request, storedBytes }: SubscriptionState, period: BillingPeriod): SubscriptionView {
    const { orgId, plan, priceNano, nextPlan, nextPlanAt } = subscription;
    return {
      org_id: orgId,
      plan,
      price_usd_per_month: formatUsd(priceNano),
      period: PeriodView.of(period),
      storage: { used_bytes: storedBytes, limit_bytes: storedBytesOf(PLANS[plan]) },
      ...(nextPlan === null || nextPlanAt === null
        ? {}
        : { planned_change: { plan: nextPlan, at: nextPlanAt.toISOString() } }),
      ...(request === undefined
        ? {}
        : { pending_change: { plan: request.plan, requested_at: request.requestedAt.toISOString() } }),
    };
  }
}

export class SubscriptionAnswer {
  @ApiProperty({ type: SubscriptionView }) data!: SubscriptionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

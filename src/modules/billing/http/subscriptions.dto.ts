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
      'A larger plan begins at once, a smaller one with the next period. The current plan drops a planned change.',
  })
  @IsIn(PLAN_IDS)
  readonly plan!: PlanId;
}

class PeriodView {
  @ApiProperty({ format: 'date-time' }) from!: string;
  @ApiProperty({ format: 'date-time', description: 'End of the period, exclusive.' }) to!: string;

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
  @ApiProperty({ type: 'integer', example: 734003200, description: 'Bytes stored by the files of all deploys.' })
  used_bytes!: number;
  @ApiProperty({
    type: 'integer',
    example: 1073741824,
    description: 'Bytes that the plan allows.',
  })
  limit_bytes!: number;
}

export class SubscriptionView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({
    example: '49',
    description: 'Price of a whole month of the plan before usage, in USD as a decimal.',
  })
  price_usd_per_month!: string;
  @ApiProperty({ type: PeriodView, description: 'The current billing month in UTC.' })
  period!: PeriodView;
  @ApiPropertyOptional({ type: PlannedChangeView, description: 'The planned change, if any.' })
  planned_change?: PlannedChangeView;
  @ApiPropertyOptional({
    type: PendingChangeView,
    description: 'A larger plan that waits for the approval of the operator, if any.',
  })
  pending_change?: PendingChangeView;

  @ApiProperty({
    enum: ['provider', 'manual'],
    description: 'Who collects payments: a provider with a payment method, or the operator by invoice.',
  })
  payment!: 'provider' | 'manual';
  @ApiProperty({ type: StorageView, description: 'Storage used by deploys.' }) storage!: StorageView;

  static of(
    { subscription, request, storedBytes, isPaidByProvider }: SubscriptionState,
    period: BillingPeriod,
  ): SubscriptionView {
    const { orgId, plan, priceNano, nextPlan, nextPlanAt } = subscription;
    return {
      org_id: orgId,
      plan,
      price_usd_per_month: formatUsd(priceNano),
      period: PeriodView.of(period),
      payment: isPaidByProvider ? 'provider' : 'manual',
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

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import { formatUsd, parseUsd } from '../../../platform/money/nano-dollars.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';
import type { PlanRequest } from '../plan-requests.js';
import { listPriceNano } from '../../plans/plan-price.js';
import type { Contract } from '../operators/subscription-operations.js';
import type { Subscription } from '../subscriptions/subscriptions.service.js';
import { IsUsd } from '../../../platform/http/money-fields.js';

export class SetPlanBody {
  @ApiProperty({ example: 'enterprise', enum: PLAN_IDS })
  @IsIn(PLAN_IDS)
  readonly plan!: PlanId;

  @ApiPropertyOptional({
    type: String,
    example: '1200',
    description: 'Monthly price in USD, as a decimal. Default: the list price. Required for Enterprise.',
  })
  @MayBeAbsent()
  @IsUsd({ least: 0n })
  readonly priceUsdPerMonth?: string;

  @ApiProperty({
    example: 'Contract of 1 December',
    maxLength: 100,
    description: 'The reason, shown in the audit log of the organization.',
  })
  @IsTitle()
  readonly reason!: string;

  /** @throws {RequestInvalid} `invalid_request`: the plan has no list price, and none was given. */
  contract(orgId: string): Contract {
    const { plan, priceUsdPerMonth, reason } = this;
    const priceNano = priceUsdPerMonth === undefined ? listPriceNano(plan) : parseUsd(priceUsdPerMonth);
    if (priceNano === null)
      throw new RequestInvalid([
        {
          path: 'priceUsdPerMonth',
          in: 'body',
          code: 'is_usd',
          message: 'priceUsdPerMonth is required for a plan without a list price',
        },
      ]);
    return { orgId, plan, priceNano, reason };
  }
}

export class OrgParameter {
  @ApiProperty({ description: 'The id of the organization.', example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  @Matches(/^org_[0-9a-z]{26}$/)
  readonly org_id!: string;
}

export class SetPlanView {
  @ApiProperty() orgId!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ example: '1200' }) priceUsdPerMonth!: string;
  @ApiProperty({ format: 'date-time', description: 'When billing of the plan begins.' }) since!: string;

  static of({ orgId, plan, priceNano, since }: Subscription): SetPlanView {
    return { orgId, plan, priceUsdPerMonth: formatUsd(priceNano), since: since.toISOString() };
  }
}

export class RefusePlanBody {
  @ApiProperty({
    example: 'The billing address is missing',
    maxLength: 100,
    description: 'The reason, shown in the audit log of the organization.',
  })
  @IsTitle()
  readonly reason!: string;
}

export class PlanRefusedView {
  @ApiProperty() orgId!: string;
  @ApiProperty({ enum: PLAN_IDS, description: 'The plan that was requested.' }) refused!: string;

  static of({ orgId, plan }: PlanRequest): PlanRefusedView {
    return { orgId, refused: plan };
  }
}

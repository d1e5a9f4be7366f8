import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Page } from '../../../platform/database/page.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { cursorOf, PageQuery } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import type { RegisteredOrg } from '../../orgs/org-register.js';
import { type LimitUse, PLAN_LIMITS, type PlanLimit } from '../../plans/plan-limit-counters.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';
import { formatCents } from '../domain/cents.js';
import type { WholeInvoice } from '../invoices/invoices.service.js';
import type { OrganizationAccount } from '../operators/organization-accounts.js';
import { InvoiceStateView } from './invoice-operations.dto.js';

export class OrganizationsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: String,
    maxLength: 100,
    example: 'acme',
    description: 'A part of the name or slug, the id, or the whole email address of an owner.',
  })
  @MayBeAbsent()
  @IsTitle()
  readonly search?: string;
}

export class RegisteredOrganizationView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'acme' }) slug!: string;
  @ApiProperty({ example: 'Acme' }) name!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ description: 'True for the personal organization of a user.' }) personal!: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static of({ id, slug, name, plan, personalOf, createdAt }: RegisteredOrg): RegisteredOrganizationView {
    return { id, slug, name, plan, personal: personalOf !== null, createdAt: createdAt.toISOString() };
  }
}

export class OrganizationsView {
  @ApiProperty({ type: [RegisteredOrganizationView] }) organizations!: RegisteredOrganizationView[];
  @ApiPropertyOptional({ type: String, description: 'The `cursor` of the next page; absent on the last page.' })
  nextCursor?: string;

  static of({ items, next }: Page<RegisteredOrg>): OrganizationsView {
    const nextCursor = cursorOf(next);
    return {
      organizations: items.map((org) => RegisteredOrganizationView.of(org)),
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  }
}

class LimitUseView {
  @ApiProperty({ enum: PLAN_LIMITS }) limit!: PlanLimit;
  @ApiPropertyOptional({ type: 'integer', description: 'Absent if it is unlimited.' }) allowed?: number;
  @ApiProperty({ type: 'integer' }) used!: number;

  static of({ limit, allowed, used }: LimitUse): LimitUseView {
    return { limit, used, ...(allowed === null ? {} : { allowed }) };
  }
}

class DatedInvoiceStateView extends InvoiceStateView {
  @ApiProperty({ format: 'date-time', description: 'The beginning of the billed month.' }) periodFrom!: string;
  @ApiProperty({ format: 'date-time' }) dueAt!: string;

  static ofDated(whole: WholeInvoice): DatedInvoiceStateView {
    const { periodFrom, dueAt } = whole.invoice;
    const dates = { periodFrom: periodFrom.toISOString(), dueAt: dueAt!.toISOString() };
    return Object.assign(InvoiceStateView.of(whole), dates);
  }
}

export class OrganizationAccountView extends RegisteredOrganizationView {
  @ApiProperty({ type: [String], example: ['ada'], description: 'The usernames of the owners.' }) owners!: string[];
  @ApiProperty({ type: 'integer', description: 'The number of members, with the owners.' }) members!: number;
  @ApiProperty({ example: '49' }) priceUsdPerMonth!: string;
  @ApiPropertyOptional({ enum: PLAN_IDS, description: 'The plan that begins with the next month.' }) nextPlan?: PlanId;
  @ApiPropertyOptional({ enum: PLAN_IDS, description: 'The plan that waits for approval.' }) requestedPlan?: PlanId;
  @ApiProperty({ type: [LimitUseView] }) limits!: LimitUseView[];
  @ApiProperty({ example: '51.30', description: 'The invoice of this month so far.' }) upcomingUsd!: string;
  @ApiProperty({ type: [DatedInvoiceStateView], description: 'The latest invoices, newest first.' })
  invoices!: DatedInvoiceStateView[];

  static ofAccount({
    org,
    owners,
    members,
    subscription: { subscription, request },
    limits,
    upcoming,
    invoices,
  }: OrganizationAccount): OrganizationAccountView {
    return Object.assign(RegisteredOrganizationView.of(org), {
      owners: [...owners],
      members,
      priceUsdPerMonth: formatUsd(subscription.priceNano),
      ...(subscription.nextPlan === null ? {} : { nextPlan: subscription.nextPlan }),
      ...(request === undefined ? {} : { requestedPlan: request.plan }),
      limits: limits.map((use) => LimitUseView.of(use)),
      upcomingUsd: formatCents(upcoming.totalCents),
      invoices: invoices.map((invoice) => DatedInvoiceStateView.ofDated(invoice)),
    });
  }
}

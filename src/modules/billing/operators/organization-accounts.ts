import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { OrgRegister, type RegisteredOrg, type RegisteredOrgWithPeople } from '../../orgs/org-register.js';
import { type LimitUse, PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { PLANS } from '../../plans/plan.js';
import { InvoicesService, type WholeInvoice } from '../invoices/invoices.service.js';
import { type UpcomingInvoice, UpcomingInvoices } from '../invoices/upcoming-invoice.js';
import { type SubscriptionState, SubscriptionsService } from '../subscriptions/subscriptions.service.js';

const SHOWN_INVOICES = 24;

/** What an operator has to know of an organization to help it. */
export interface OrganizationAccount extends RegisteredOrgWithPeople {
  readonly subscription: SubscriptionState;
  readonly limits: readonly LimitUse[];
  readonly upcoming: UpcomingInvoice;
  /** The latest invoices, newest first. */
  readonly invoices: readonly WholeInvoice[];
}

/** Shows operators the organizations of the installation. */
@Injectable()
export class OrganizationAccounts {
  constructor(
    private readonly register: OrgRegister,
    private readonly subscriptions: SubscriptionsService,
    private readonly limits: PlanLimitCounters,
    private readonly upcoming: UpcomingInvoices,
    private readonly invoices: InvoicesService,
  ) {}

  /** {@link OrgRegister.search} */
  search(text: string | undefined, page: PageRequest): Promise<Page<RegisteredOrg>> {
    return this.register.search(text, page);
  }

  /** @throws {OrganizationNotFound} `organization_not_found` */
  async get(orgId: string): Promise<OrganizationAccount> {
    const registered = await this.register.get(orgId);
    const { plan } = registered.org;
    const [subscription, limits, upcoming, invoices] = await Promise.all([
      this.subscriptions.of(orgId, plan),
      this.limits.usedOf(PLANS[plan], orgId),
      this.upcoming.of(registered.org),
      this.invoices.latestOf(orgId, SHOWN_INVOICES),
    ]);
    return { ...registered, subscription, limits, upcoming, invoices };
  }
}

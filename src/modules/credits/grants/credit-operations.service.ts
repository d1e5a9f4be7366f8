import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { CreditGrant, CreateGrantInput } from '../domain/credit-grant.js';
import { OrganizationNotFound } from '../../orgs/orgs.errors.js';
import { GrantKeyTaken } from '../credits.errors.js';
import { GrantsService } from './grants.service.js';
import { GrantsStore } from '../persistence/grants.store.js';

/** Grants credits on behalf of an operator. Callers of the API cannot. */
@Injectable()
export class CreditOperationsService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsService,
    private readonly store: GrantsStore,
    private readonly orgs: OrgDirectory,
    private readonly plans: OrgPlans,
  ) {}

  /**
   * Grants the credits once for the key and records that in the audit log of the organization.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {GrantKeyTaken} `already_exists`: the key was used for another grant.
   */
  grant(input: CreateGrantInput): Promise<{ grant: CreditGrant; isNew: boolean }> {
    const { orgId, key, amountNano, reason } = input;
    return this.database.transaction(async () => {
      // The organization is locked before its account, in the same order as everywhere, to avoid deadlocks.
      if ((await this.plans.lock(orgId)) === null) throw new OrganizationNotFound();
      const existing = await this.store.findByKey(key);
      if (existing !== undefined && (existing.orgId !== orgId || existing.amountNano !== amountNano))
        throw new GrantKeyTaken();
      const given = await this.grants.grant(input, 'operator');
      if (given.isNew) {
        await this.orgs.record(
          {
            orgId,
            action: 'credits.granted',
            target: { type: 'credit_grant', id: given.grant.id },
            details: { amount: formatUsd(amountNano), reason },
          },
          undefined,
        );
      }
      return given;
    });
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { SecondFactorMissing } from '../../auth/access.errors.js';
import type { Call } from '../../auth/caller.js';
import { OrganizationIsPersonal } from '../orgs.errors.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import { MemberEpochs } from './member-epochs.js';

/** Changes what an organization requires of its members, in the running transaction. */
@Injectable()
export class OrganizationPolicy {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: MemberEpochs,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /**
   * Who requires a second factor must have one, so that nobody is locked out of the own setting.
   *
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {SecondFactorMissing} `second_factor_missing`
   */
  async requireSecondFactor(before: Organization, isRequired: boolean, call: Call): Promise<void> {
    if (before.secondFactorRequired === isRequired) return;
    if (before.personalOf !== null) throw new OrganizationIsPersonal();
    if (isRequired && !call.principal.user.hasSecondFactor) throw new SecondFactorMissing(before.slug);
    await this.organizations.setSecondFactorRequired(before.id, isRequired, this.clock.now());
    await this.record(before.id, { second_factor_required: isRequired }, call);
    await this.epochs.raise(before.id);
  }

  /** Limits the lifetime of keys that are made from now on; null removes the limit. Existing keys stay as they are. */
  async limitKeyLifetime(before: Organization, days: number | null, call: Call): Promise<void> {
    if (before.keyLifetimeDays === days) return;
    await this.organizations.setKeyLifetimeDays(before.id, days, this.clock.now());
    await this.record(before.id, { key_lifetime_days: days }, call);
  }

  private record(id: string, details: Readonly<Record<string, unknown>>, call: Call): Promise<void> {
    return this.audit.record(
      { orgId: id, action: 'org.policy_changed', target: { type: 'organization', id }, details },
      call,
    );
  }
}

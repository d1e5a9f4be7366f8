import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { SsoRequired } from '../../auth/access.errors.js';
import type { Call } from '../../auth/caller.js';
import { ExemptOwnersInvalid, OrganizationIsPersonal, RoleTooLow, SsoNotActive } from '../orgs.errors.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore, type SsoSettingsChange } from '../persistence/organizations.store.js';
import { MemberEpochs } from './member-epochs.js';

/** Changes what an organization requires of sign-ins, in the running transaction. */
@Injectable()
export class OrganizationSsoPolicy {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly epochs: MemberEpochs,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /**
   * Only an owner can, and only who has come through the connection can require it: it works, and nobody locks
   * themselves out.
   *
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {RoleTooLow} `insufficient_scopes`
   * @throws {SsoNotActive} `sso_not_active`
   * @throws {SsoRequired} `sso_required`: the session did not come through the connection.
   * @throws {ExemptOwnersInvalid} `invalid_request`
   */
  async change(before: Organization, change: SsoSettingsChange, call: Call): Promise<void> {
    if (Object.keys(change).length === 0) return;
    await this.requireChangeable(before, change, call);
    const after = {
      isRequired: change.isRequired ?? before.ssoRequired,
      sessionHours: change.sessionHours ?? before.ssoSessionHours,
      exemptOwnerIds: change.exemptOwnerIds ?? before.ssoExemptOwners,
    };
    await this.organizations.setSsoSettings(before.id, after, this.clock.now());
    const details = {
      sso_required: after.isRequired,
      sso_session_hours: after.sessionHours,
      sso_exempt_owners: after.exemptOwnerIds,
    };
    const target = { type: 'organization', id: before.id };
    await this.audit.record({ orgId: before.id, action: 'org.policy_changed', target, details }, call);
    await this.epochs.raise(before.id);
  }

  private async requireChangeable(before: Organization, change: SsoSettingsChange, call: Call): Promise<void> {
    const { principal } = call;
    if (before.personalOf !== null) throw new OrganizationIsPersonal();
    const owners = await this.memberships.ownerIds(before.id);
    if (!owners.includes(principal.user.id)) throw new RoleTooLow(principal.membershipIn(before.id)?.role, 'owner');
    if (change.exemptOwnerIds?.some((id) => !owners.includes(id)) === true) throw new ExemptOwnersInvalid();
    if (change.isRequired !== true || before.ssoRequired) return;
    if (before.ssoConnections.length === 0) throw new SsoNotActive();
    if (!principal.ssoOrgIds.includes(before.id)) throw new SsoRequired(before.slug, 'session');
  }
}

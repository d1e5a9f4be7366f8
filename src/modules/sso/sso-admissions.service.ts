import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import type { AuditActor } from '../audit/audit-log.service.js';
import type { CheckedIdentity } from '../identities/checked-identity.js';
import { SsoConnectionNotFound } from '../identities/identities.errors.js';
import { ManagedMemberships, type ManagedRole } from '../orgs/managed-memberships.js';
import { OrgPlans } from '../orgs/org-plans.js';
import { roleOfGroups } from './connections/group-roles.js';
import { VerifiedDomains } from './domains/verified-domains.js';
import { SsoConnectionsStore } from './persistence/sso-connections.store.js';
import { ProvisionedPeople } from './provisioning/provisioned-people.js';
import { SsoNotProvisioned } from './sso.errors.js';

/** What a connection says of a person who has come through it. */
export interface SsoAdmission {
  readonly connectionId: string;
  readonly orgId: string;
  /** True when the organization has verified the domain of the person's address, so that it may say whose that is. */
  readonly speaksForAddress: boolean;
  /** True when people whom the organization does not know become members. */
  readonly admitsUnknown: boolean;
  /** The role of new members. */
  readonly role: ManagedRole;
  /** True when the groups of the person decide on the role at each sign-in. */
  readonly decidesRole: boolean;
}

/** Decides who may come in through a connection, and as what. */
@Injectable()
export class SsoAdmissionsService {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly domains: VerifiedDomains,
    private readonly memberships: ManagedMemberships,
    private readonly provisioned: ProvisionedPeople,
    private readonly plans: OrgPlans,
    private readonly clock: Clock,
  ) {}

  /** @throws {SsoConnectionNotFound} `sso_connection_not_found`: the connection is active no longer. */
  async of({ issuer, email, groups }: CheckedIdentity): Promise<SsoAdmission> {
    const connection = await this.connections.find(issuer);
    if (connection?.status !== 'active') throw new SsoConnectionNotFound();
    const { id: connectionId, orgId, jit, groupRoles, defaultRole } = connection;
    return {
      connectionId,
      orgId,
      speaksForAddress: email !== undefined && (await this.domains.isOf(orgId, email.address)),
      admitsUnknown: jit,
      role: roleOfGroups(groups ?? [], groupRoles) ?? defaultRole,
      decidesRole: groupRoles.length > 0,
    };
  }

  /**
   * Locks the organization until the running transaction ends. A suspension locks it too, and ends the sessions that it
   * finds: none may be opened beside it.
   */
  async lock({ orgId }: SsoAdmission): Promise<void> {
    await this.plans.lock(orgId);
  }

  /**
   * Makes the person a member, or gives a member the role of the groups, in the running transaction. The role of
   * a person whom the provider provisions is decided there, and not by what it says at a sign-in.
   *
   * @throws {SsoNotProvisioned} `sso_not_provisioned`: also for a person whom the provider has suspended or removed.
   */
  async admit(userId: string, admission: SsoAdmission, by: AuditActor): Promise<void> {
    const { orgId, connectionId, role } = admission;
    await this.lock(admission);
    const current = await this.memberships.roleOf({ orgId, userId });
    const state = await this.provisioned.stateOf({ connectionId, userId });
    if (state === 'suspended' || (current === undefined && !admission.admitsUnknown)) throw new SsoNotProvisioned();
    if (current === undefined || (admission.decidesRole && state === 'unknown'))
      await this.memberships.set({ orgId, userId }, role, { by, details: { connection_id: connectionId } });
    await this.connections.used(connectionId, this.clock.now());
  }
}

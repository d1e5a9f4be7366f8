import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrganizationIsPersonal } from '../orgs.errors.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore, type SsoSettingsChange } from '../persistence/organizations.store.js';
import { MemberEpochs } from './member-epochs.js';
import { OrganizationPolicy } from './organization-policy.js';
import { OrganizationSsoPolicy } from './organization-sso-policy.js';

export interface OrganizationNames {
  readonly name: string;
  readonly slug: string;
}

export interface OrganizationChange extends Partial<OrganizationNames> {
  readonly secondFactorRequired?: boolean;
  /** Null removes the limit. */
  readonly keyLifetimeDays?: number | null;
  readonly sso?: SsoSettingsChange;
}

/** Changes organizations, in the running transaction. */
@Injectable()
export class OrganizationRenaming {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: MemberEpochs,
    private readonly policy: OrganizationPolicy,
    private readonly ssoPolicy: OrganizationSsoPolicy,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the new names, or undefined when they stay.
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {SecondFactorMissing} `second_factor_missing`
   * @throws {SsoNotActive} `sso_not_active`, and what {@link OrganizationSsoPolicy.change} throws.
   * @throws {SlugTaken} `already_exists`
   */
  async change(
    before: Organization,
    { secondFactorRequired, keyLifetimeDays, sso, ...names }: OrganizationChange,
    call: Call,
  ): Promise<OrganizationNames | undefined> {
    if (secondFactorRequired !== undefined) await this.policy.requireSecondFactor(before, secondFactorRequired, call);
    if (keyLifetimeDays !== undefined) await this.policy.limitKeyLifetime(before, keyLifetimeDays, call);
    if (sso !== undefined) await this.ssoPolicy.change(before, sso, call);
    return this.rename(before, names);
  }

  /**
   * @returns the new names, or undefined when nothing changes.
   * @throws {OrganizationIsPersonal} `personal_organization`: its slug is the username.
   * @throws {SlugTaken} `already_exists`
   */
  private async rename(
    before: Organization,
    { name = before.name, slug = before.slug }: Partial<OrganizationNames>,
  ): Promise<OrganizationNames | undefined> {
    if (before.personalOf !== null && slug !== before.slug) throw new OrganizationIsPersonal();
    if (name === before.name && slug === before.slug) return undefined;
    await this.organizations.update(before.id, { name, slug }, this.clock.now());
    await this.epochs.raise(before.id);
    return { name, slug };
  }
}

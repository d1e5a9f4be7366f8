import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { KeyCannotCreateOrganizations, OrganizationIsPersonal, OrganizationNotFound } from '../orgs.errors.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore, type OwnOrganization } from '../persistence/organizations.store.js';
import { OrgOfPath } from '../org-of-path.js';
import { type CreateOrganizationInput, OrganizationCreation } from './organization-creation.js';
import { OrganizationRemoval } from './organization-removal.js';
import { type OrganizationChange, OrganizationRenaming } from './organization-renaming.js';

export type { OrganizationChange };

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsStore,
    private readonly paths: OrgOfPath,
    private readonly creation: OrganizationCreation,
    private readonly renaming: OrganizationRenaming,
    private readonly removal: OrganizationRemoval,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * @throws {SlugTaken} `already_exists`
   * @throws {TooManyFreeOrganizations} `plan_limit_reached`
   * @throws {KeyCannotCreateOrganizations} `org_access_denied`
   */
  async create(input: CreateOrganizationInput, call: Call): Promise<OwnOrganization> {
    const { user, credential } = call.principal;
    if (credential.type === 'api_key' && credential.kind !== 'personal')
      throw new KeyCannotCreateOrganizations(credential.kind);
    return this.database.transaction(async () => {
      const { id } = await this.creation.create(input, user.id);
      await this.audit.record(
        {
          orgId: id,
          action: 'org.created',
          target: { type: 'organization', id },
          details: { name: input.name },
        },
        call,
      );
      return this.getOf(user.id, id);
    });
  }

  /** Lists the organizations that both the user and the key have access to, oldest first. */
  list({ principal }: Call, page: PageRequest): Promise<Page<OwnOrganization>> {
    return this.organizations.pageOf(principal.user.id, principal.orgIds, page);
  }

  /** @throws {OrganizationNotFound} `organization_not_found` */
  async get(idOrSlug: string, call: Call): Promise<OwnOrganization> {
    const { id } = this.paths.require(call, idOrSlug, 'orgs:read');
    return this.getOf(call.principal.user.id, id);
  }

  /**
   * @throws {SlugTaken} `already_exists`
   * @throws {OrganizationIsPersonal} `personal_organization`: its slug is the username.
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {SecondFactorMissing} `second_factor_missing`: who requires a second factor must have one.
   */
  async update(idOrSlug: string, change: OrganizationChange, call: Call): Promise<OwnOrganization> {
    const { id } = this.paths.require(call, idOrSlug, 'orgs:write');
    return this.database.transaction(async () => {
      const before = await this.lock(id);
      const after = await this.renaming.change(before, change, call);
      if (after !== undefined)
        await this.audit.record(
          {
            orgId: id,
            action: 'org.renamed',
            target: { type: 'organization', id },
            details: { before: { name: before.name, slug: before.slug }, after },
          },
          call,
        );
      return this.getOf(call.principal.user.id, id);
    });
  }

  /**
   * Deletes an organization. Its audit log stays, and its slug is free for others at once. What is publicly visible of
   * it disappears moments later.
   *
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {RoleTooLow} `insufficient_scopes`: only an owner can delete an organization.
   * @throws {OrganizationNotFound} `organization_not_found`
   */
  async delete(idOrSlug: string, call: Call): Promise<void> {
    const { id } = this.paths.require(call, idOrSlug, 'orgs:write');
    await this.database.transaction(async () => {
      const { personalOf, slug } = await this.lock(id);
      if (personalOf !== null) throw new OrganizationIsPersonal();
      await this.removal.requireOwner(id, call.principal.user.id);
      await this.removal.remove(id);
      await this.audit.record(
        { orgId: id, action: 'org.deleted', target: { type: 'organization', id }, details: { slug } },
        call,
      );
    });
  }

  private async lock(id: string): Promise<Organization> {
    const organization = await this.organizations.lock(id);
    if (organization === undefined) throw new OrganizationNotFound();
    return organization;
  }

  private async getOf(userId: string, orgId: string): Promise<OwnOrganization> {
    const organization = await this.organizations.findOf(userId, orgId);
    if (organization === undefined) throw new OrganizationNotFound();
    return organization;
  }
}

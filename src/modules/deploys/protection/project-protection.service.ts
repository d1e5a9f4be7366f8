import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { Call } from '../../auth/caller.js';
import { CustomHostsService } from '../../hosting/custom-hosts.service.js';
import { deployLabel } from '../../hosting/labels.js';
import type { ProtectionMode } from '../../hosting/protection-mode.js';
import { type AccessLink, type Protection, ProtectionsService } from '../../hosting/protections.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { ProjectNotLive } from '../deploys.errors.js';
import { DeploysService } from '../requests/deploys.service.js';
import { ProjectHosts } from '../requests/project-hosts.js';

/** A member follows a link at once, and can get another one at any time. */
const MEMBER_LINK_SECONDS = 600;
const MEMBER_SESSION_SECONDS = 12 * 3_600;

export interface ChangeProtectionInput {
  readonly previews?: ProtectionMode | undefined;
  readonly production?: ProtectionMode | undefined;
  readonly password?: string | undefined;
}

/** Protects the hosts of projects, and gives access to protected ones. */
@Injectable()
export class ProjectProtectionService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysService,
    private readonly hosts: ProjectHosts,
    private readonly customHosts: CustomHostsService,
    private readonly protections: ProtectionsService,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, projectIdOrSlug: string): Promise<Protection> {
    const { id } = await this.projects.get(call, projectIdOrSlug, 'projects:read');
    return this.protections.of(id);
  }

  /**
   * Changes the given fields, and revokes every link and cookie that was issued before.
   *
   * @throws as {@link get}.
   * @throws {RequestInvalid} `invalid_request`: a mode needs a password, and there is none.
   */
  async change(call: Call, projectIdOrSlug: string, input: ChangeProtectionInput): Promise<Protection> {
    const { previews, production, password } = input;
    // The caller's right is checked before anything is computed for the call.
    await this.projects.get(call, projectIdOrSlug, 'projects:write');
    const passwordHash = password === undefined ? undefined : await this.protections.hash(password);
    return this.database.transaction(async () => {
      const { id, orgId } = await this.projects.lock(call, projectIdOrSlug, 'projects:write');
      const changed = await this.protections.change(id, { previews, production, passwordHash });
      if (changed === undefined)
        throw new RequestInvalid([
          { path: 'password', in: 'body', code: 'is_defined', message: 'password must be set for the mode password' },
        ]);
      const details = {
        previews: changed.previews,
        production: changed.production,
        password_changed: password !== undefined,
      };
      await this.orgs.record(
        { orgId, action: 'project.protection_changed', target: { type: 'project', id }, details },
        call,
      );
      return changed;
    });
  }

  /**
   * Returns a link with which the member that calls opens a host of the project: that of a branch or of production, or
   * a domain.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ProjectNotLive} `project_not_live`
   */
  async accessLink(call: Call, projectIdOrSlug: string, host: string | undefined): Promise<AccessLink> {
    const { id: projectId } = await this.projects.get(call, projectIdOrSlug, 'deploys:read');
    const { aliases } = await this.hosts.of(projectId);
    const found =
      host === undefined
        ? aliases.find(({ kind }) => kind === 'production')
        : aliases.find(({ url }) => new URL(url).hostname === host);
    const url = found === undefined && host !== undefined ? await this.customHosts.urlOf(host, projectId) : found?.url;
    if (url === undefined) throw new ProjectNotLive(host);
    return this.protections.linkTo(
      { label: found?.label ?? host!, projectId, url },
      { linkSeconds: MEMBER_LINK_SECONDS, sessionSeconds: MEMBER_SESSION_SECONDS },
    );
  }

  /**
   * Returns a link that opens one deploy for anybody who has it, until it expires.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  shareLink(call: Call, deployId: string, expiresInSeconds: number): Promise<AccessLink> {
    return this.database.transaction(async () => {
      const { id, projectId, orgId } = await this.deploys.get(call, deployId, 'deploys:write');
      const link = await this.protections.linkTo(
        { label: deployLabel(id), projectId },
        { linkSeconds: expiresInSeconds, sessionSeconds: expiresInSeconds },
      );
      const details = { project_id: projectId, expires_at: link.expiresAt.toISOString() };
      await this.orgs.record({ orgId, action: 'deploy.shared', target: { type: 'deploy', id }, details }, call);
      return link;
    });
  }
}

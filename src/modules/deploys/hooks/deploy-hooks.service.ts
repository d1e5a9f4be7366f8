import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployHookNotFound, TooManyDeployHooks } from '../deploys.errors.js';
import type { DeployHook } from '../persistence/deploy-hook.entity.js';
import { DeployHooksStore } from '../persistence/deploy-hooks.store.js';
import { HookIssuer, type IssuedDeployHook } from './hook-issuer.js';

const MAX_HOOKS = 20;

export interface CreateDeployHookInput {
  readonly name: string;
  readonly branch: string;
}

/** Manages the secret URLs that deploy a branch of a project. */
@Injectable()
export class DeployHooksService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly hooks: DeployHooksStore,
    private readonly issuer: HookIssuer,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Creates a hook. It deploys to production only if the caller could.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`: a hook of the production branch needs `deploys:production` too.
   * @throws {TooManyDeployHooks} `invalid_request`
   */
  create(call: Call, projectIdOrSlug: string, { name, branch }: CreateDeployHookInput): Promise<IssuedDeployHook> {
    const { principal } = call;
    return this.database.transaction(async () => {
      const {
        id: projectId,
        orgId,
        productionBranch,
      } = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      if (branch === productionBranch) principal.require('deploys:production', orgId);
      if ((await this.hooks.count(projectId)) >= MAX_HOOKS) throw new TooManyDeployHooks(MAX_HOOKS);
      const issued = this.issuer.issue({
        orgId,
        projectId,
        name,
        branch,
        production: principal.rightsIn(orgId).has('deploys:production'),
        createdBy: principal.user.id,
      });
      await this.hooks.insert(issued.hook);
      await this.record(call, 'deploy_hook.created', issued.hook);
      return issued;
    });
  }

  /**
   * Lists the hooks of a project, oldest first, without their URLs.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, projectIdOrSlug: string): Promise<DeployHook[]> {
    const { id } = await this.projects.get(call, projectIdOrSlug, 'deploys:read');
    return this.hooks.list(id);
  }

  /** Deletes a hook. Its URL stops working at once. @throws as {@link list}. @throws {DeployHookNotFound} */
  delete(call: Call, projectIdOrSlug: string, hookId: string): Promise<void> {
    return this.database.transaction(async () => {
      const { id: projectId } = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      const hook = await this.hooks.find(hookId);
      if (hook === null || !(await this.hooks.remove(projectId, hookId))) throw new DeployHookNotFound();
      await this.record(call, 'deploy_hook.deleted', hook);
    });
  }

  private record(
    call: Call,
    action: `deploy_hook.${string}`,
    { id, orgId, projectId, name, branch }: DeployHook,
  ): Promise<void> {
    const details = { project_id: projectId, name, branch };
    return this.orgs.record({ orgId, action, target: { type: 'deploy_hook', id }, details }, call);
  }
}

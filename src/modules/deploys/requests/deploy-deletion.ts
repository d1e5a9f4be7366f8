import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { isOver } from '../domain/deploy-state.js';
import { DeployInUse, DeployNotFound } from '../deploys.errors.js';
import { DeploysService } from './deploys.service.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';
import { DeploysStore } from '../persistence/deploys.store.js';

/** Lets somebody delete what a deploy stores, before the sweeper would. */
@Injectable()
export class DeployDeletion {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly found: DeploysService,
    private readonly deploys: DeploysStore,
    private readonly keeping: DeployKeepingStore,
    private readonly aliases: AliasesService,
    private readonly artifacts: ArtifactsService,
    private readonly owners: OrgDirectory,
  ) {}

  /**
   * Deletes the files of a deploy, and the hosts that lead to it; the deploy stays in the list, as it ended. One whose
   * files are deleted already stays as it is.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DeployInUse} `deploy_in_use`
   */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const { projectId, orgId } = await this.found.get(call, id, 'deploys:write');
      // Nobody makes it live until the running transaction ends.
      if ((await this.projects.findAndLock(projectId)) === null) throw new DeployNotFound();
      const { state, filesRemovedAt } = await this.deploys.lock(id);
      const hosts = (await this.aliases.of(projectId)).filter(({ deployId }) => deployId === id);
      const isInProduction = hosts.some(({ kind }) => kind === 'production');
      if (!isOver(state) || isInProduction) throw new DeployInUse(state, isInProduction);
      if (filesRemovedAt !== null) return;
      for (const { label } of hosts) await this.aliases.release(label);
      await this.keeping.markRemoved([id]);
      await this.artifacts.remove(id);
      await this.owners.record(
        { orgId, action: 'deploy.deleted', target: { type: 'deploy', id }, details: { project_id: projectId } },
        call,
      );
    });
  }
}

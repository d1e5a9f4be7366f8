import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployInUse, DeployNotFound } from '../deploys.errors.js';
import { isOver } from '../domain/deploy-state.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { DeployFiles } from './deploy-files.js';
import { DeploysService } from './deploys.service.js';

/** Deletes what a deploy stores on request, earlier than the retention rules would. */
@Injectable()
export class DeployDeletion {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysService,
    private readonly store: DeploysStore,
    private readonly aliases: AliasesService,
    private readonly files: DeployFiles,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Deletes the files of a deploy and the hosts that lead to it. The deploy stays in the list, with its final state. A
   * deploy whose files are already deleted does not change.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DeployInUse} `deploy_in_use`
   */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const { projectId, orgId } = await this.deploys.get(call, id, 'deploys:write');
      // The lock on the project keeps others from making the deploy live until the running transaction ends.
      if ((await this.projects.findAndLock(projectId)) === null) throw new DeployNotFound();
      const { state, filesRemovedAt } = await this.store.lock(id);
      const hosts = (await this.aliases.of(projectId)).filter(({ deployId }) => deployId === id);
      const isInProduction = hosts.some(({ kind }) => kind === 'production');
      if (!isOver(state) || isInProduction) throw new DeployInUse(state, isInProduction);
      if (filesRemovedAt !== null) return;
      for (const { label } of hosts) await this.aliases.release(label);
      await this.files.remove([id]);
      await this.orgs.record(
        { orgId, action: 'deploy.deleted', target: { type: 'deploy', id }, details: { project_id: projectId } },
        call,
      );
    });
  }
}

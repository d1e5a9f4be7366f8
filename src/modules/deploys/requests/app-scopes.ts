import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployNotFound } from '../deploys.errors.js';
import { DeploysService } from './deploys.service.js';

/** One deploy of a project, or all of them. */
export interface AppScope {
  readonly projectId: string;
  readonly deployId: string | undefined;
}

/** Finds the deploys whose apps a caller asks about. */
@Injectable()
export class AppScopes {
  constructor(
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysService,
  ) {}

  /**
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {DeployNotFound} `deploy_not_found`: also for a deploy of another project.
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async find(call: Call, projectIdOrSlug: string, deployId: string | undefined): Promise<AppScope> {
    const { id: projectId } = await this.projects.get(call, projectIdOrSlug, 'deploys:read');
    if (deployId !== undefined) {
      const deploy = await this.deploys.get(call, deployId, 'deploys:read');
      if (deploy.projectId !== projectId) throw new DeployNotFound();
    }
    return { projectId, deployId };
  }
}

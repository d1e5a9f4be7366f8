import { Injectable } from '@nestjs/common';
import { type LastDeploy, LastDeploys } from '../../projects/last-deploys.js';
import { DeploysStore } from '../persistence/deploys.store.js';

@Injectable()
export class LastDeploysOfProjects extends LastDeploys {
  constructor(private readonly deploys: DeploysStore) {
    super();
  }

  async of(projectIds: readonly string[]): Promise<ReadonlyMap<string, LastDeploy>> {
    if (projectIds.length === 0) return new Map();
    return new Map((await this.deploys.lastOf(projectIds)).map((deploy) => [deploy.projectId, deploy]));
  }
}

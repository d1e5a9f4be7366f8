import { Injectable } from '@nestjs/common';
import { ProjectOwners } from '../../metering/project-owners.js';
import { ProjectsStore } from '../persistence/projects.store.js';

@Injectable()
export class StoredProjectOwners extends ProjectOwners {
  constructor(private readonly projects: ProjectsStore) {
    super();
  }

  ownersOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.projects.ownersOf(projectIds);
  }
}

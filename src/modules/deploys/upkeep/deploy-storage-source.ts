import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { StoredBytes } from '../../hosting/stored-bytes.js';
import { StorageSource, StorageSources, type StoredBytes as Measured } from '../../metering/storage-source.js';
import { ProjectsService } from '../../projects/projects.service.js';

/** Meters the stored bytes of deploys, for each project, as object storage. It runs in the worker. */
@Injectable()
export class DeployStorageSource extends StorageSource implements OnApplicationBootstrap {
  readonly name = 'deploys';

  constructor(
    private readonly sources: StorageSources,
    private readonly stored: StoredBytes,
    private readonly projects: ProjectsService,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.sources.add(this);
  }

  /** Deleted projects are not metered, because their files are about to be removed. */
  async measure(): Promise<Measured[]> {
    const stored = await this.stored.ofAllProjects();
    const gone = new Set(await this.projects.findDeletedIds(stored.map(({ projectId }) => projectId)));
    return stored
      .filter(({ projectId }) => !gone.has(projectId))
      .map(({ orgId, projectId, bytes }) => ({
        meter: 'object_storage',
        orgId,
        projectId,
        name: projectId,
        bytes: BigInt(bytes),
      }));
  }
}

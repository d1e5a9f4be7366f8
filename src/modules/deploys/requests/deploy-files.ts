import { Injectable } from '@nestjs/common';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';

/** Removes the files of deploys. The deploys themselves stay in the list, with their final state. */
@Injectable()
export class DeployFiles {
  constructor(
    private readonly keeping: DeployKeepingStore,
    private readonly artifacts: ArtifactsService,
  ) {}

  /** The rows are marked first, so that no deploy whose files are missing can be made live. */
  async remove(deployIds: readonly string[]): Promise<void> {
    if (deployIds.length === 0) return;
    await this.keeping.markRemoved(deployIds);
    for (const id of deployIds) await this.artifacts.remove(id);
  }
}

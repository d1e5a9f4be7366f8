import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import { DeploysService } from '../requests/deploys.service.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';
import { DeployPinsStore } from '../persistence/deploy-pins.store.js';

const BATCH = 200;

/** Lets go of what is not needed any more. What deploys were asked for, and how they ended, stays. */
@Injectable()
export class DeployRemoval {
  constructor(
    private readonly database: Database,
    private readonly deploys: DeploysService,
    private readonly keeping: DeployKeepingStore,
    private readonly aliases: AliasesService,
    private readonly pins: DeployPinsStore,
    private readonly artifacts: ArtifactsService,
  ) {}

  /**
   * Ends all that goes on in a project that was deleted, and takes its hosts, files and environments away. May be
   * called again.
   */
  async removeProject(projectId: string): Promise<void> {
    await this.deploys.cancelAllOf(projectId);
    await this.database.transaction(async () => {
      for (const { label } of await this.aliases.of(projectId)) await this.aliases.release(label);
      await this.pins.unpin(projectId);
    });
    await inBatches(
      async (limit) => {
        const ids = await this.keeping.withFilesOf(projectId, limit);
        await this.removeFiles(ids);
        return ids.length;
      },
      { size: BATCH },
    );
  }

  /** The hosts that lead to these deploys alone go first, so that nobody is led to files that are not there. */
  async removeFiles(deployIds: readonly string[]): Promise<void> {
    if (deployIds.length === 0) return;
    await this.keeping.markRemoved(deployIds);
    for (const id of deployIds) await this.artifacts.remove(id);
  }
}

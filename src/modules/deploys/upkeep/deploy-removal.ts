import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';
import { DeployFiles } from '../requests/deploy-files.js';
import { DeploysService } from '../requests/deploys.service.js';
import { ProjectLeftovers } from './project-leftovers.js';

const BATCH = 200;

/** Takes down the deploys of a deleted project. The rows with their requests and final states stay. */
@Injectable()
export class DeployRemoval {
  constructor(
    private readonly database: Database,
    private readonly deploys: DeploysService,
    private readonly keeping: DeployKeepingStore,
    private readonly aliases: AliasesService,
    private readonly leftovers: ProjectLeftovers,
    private readonly files: DeployFiles,
  ) {}

  /**
   * Cancels the active deploys of the project, then removes its hosts, files and environments. Hosts are removed before
   * the files, so that no host leads to missing files. It is safe to call this again.
   */
  async removeProject(projectId: string): Promise<void> {
    await this.deploys.cancelAllOf(projectId);
    await this.database.transaction(async () => {
      for (const { label } of await this.aliases.of(projectId)) await this.aliases.release(label);
      await this.leftovers.remove(projectId);
    });
    await inBatches(
      async (limit) => {
        const ids = await this.keeping.withFilesOf(projectId, limit);
        await this.files.remove(ids);
        return ids.length;
      },
      { size: BATCH },
    );
  }
}

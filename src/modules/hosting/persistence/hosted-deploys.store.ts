import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { HostedDeploy } from './hosted-deploy.entity.js';

const PAGE = 500;

@Injectable()
export class HostedDeploysStore {
  constructor(private readonly database: Database) {}

  /** A second attempt of a deploy replaces the first one. */
  async put(deploy: HostedDeploy): Promise<void> {
    await this.database.manager.upsert(HostedDeploy, deploy, ['deployId']);
  }

  find(deployId: string): Promise<HostedDeploy | null> {
    return this.database.manager.findOneBy(HostedDeploy, { deployId });
  }

  async remove(deployId: string): Promise<void> {
    await this.database.manager.delete(HostedDeploy, { deployId });
  }

  /**
   * Uses one statement, so that a concurrent new alias is seen. Returns false when the deploy has a host name or is
   * gone.
   */
  async removeUnshown(deployId: string): Promise<boolean> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM hosted_deploys
      WHERE deploy_id = $1 AND NOT EXISTS (SELECT 1 FROM host_aliases WHERE deploy_id = $1)
      RETURNING deploy_id`,
      [deployId],
    );
    return rows.length > 0;
  }

  /** Yields all deploys, ordered by id. */
  async *all(): AsyncGenerator<HostedDeploy> {
    const batches = batchesOf<HostedDeploy>(
      (last, limit) =>
        this.database.manager
          .createQueryBuilder(HostedDeploy, 'deploy')
          .where('deploy.deploy_id > :after', { after: last?.deployId ?? '' })
          .orderBy('deploy.deploy_id')
          .limit(limit)
          .getMany(),
      { size: PAGE },
    );
    for await (const batch of batches) yield* batch;
  }
}

import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/logging/log.js';
import { Clock } from '../../platform/time/clock.js';
import { AliasesStore } from './persistence/aliases.store.js';
import { AppLogStore } from './persistence/app-log.store.js';
import { HostedDeploysStore } from './persistence/hosted-deploys.store.js';
import { AppTrees } from './servers/app-trees.js';
import { UnusedBlobs } from './store/unused-blobs.js';

/** Younger deploys and blobs are kept, because they may belong to an ingest that is still active. */
const MIN_AGE_MS = 86_400_000;

export interface Collected {
  readonly deploys: number;
  readonly blobs: number;
}

/** Removes the files that no deploy needs any more. */
@Injectable()
export class GarbageCollectionService {
  constructor(
    private readonly deploys: HostedDeploysStore,
    private readonly aliases: AliasesStore,
    private readonly unusedBlobs: UnusedBlobs,
    private readonly trees: AppTrees,
    private readonly logs: AppLogStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Removes all deploys except those in `keep` and those with a host name, and then the blobs that no deploy uses.
   * Deploys and blobs of the last day are always kept. It may run in several processes at once, and beside ingests.
   *
   * @param keep ids of deploys that may be served again.
   */
  async collect(keep: AsyncIterable<string>): Promise<Collected> {
    const beforeMs = this.clock.now().getTime() - MIN_AGE_MS;
    const kept = new Set<string>();
    for await (const deployId of keep) kept.add(deployId);
    // The aliases are read last, so that a deploy that gets a host name meanwhile is kept.
    for (const deployId of await this.aliases.deployIds()) kept.add(deployId);

    const used = new Set<string>();
    let deploys = 0;
    for await (const deploy of this.deploys.all()) {
      if (
        !kept.has(deploy.deployId) &&
        deploy.createdAt.getTime() < beforeMs &&
        (await this.deploys.removeUnshown(deploy.deployId))
      ) {
        deploys++;
        await this.logs.remove(deploy.deployId);
        continue;
      }
      for (const hash of await this.unusedBlobs.usedBy(deploy.manifest)) used.add(hash);
    }
    const blobs = await this.unusedBlobs.delete(used, beforeMs);
    await this.trees.removeAllBut(async (deployId) => (await this.deploys.find(deployId)) !== null);
    this.log.info({ deploys, blobs }, 'Removed files of deploys that are no longer needed.');
    return { deploys, blobs };
  }
}

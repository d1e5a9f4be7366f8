import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/logging/log.js';
import { Clock } from '../../platform/time/clock.js';
import { hashesOf, readManifest } from './ingest/manifest.js';
import { AliasesStore } from './persistence/aliases.store.js';
import { AppLogStore } from './persistence/app-log.store.js';
import { HostedDeploysStore } from './persistence/hosted-deploys.store.js';
import { StoreLock } from './persistence/store-lock.js';
import { AppTrees } from './servers/app-trees.js';
import { ArtifactStore, hashOf } from './store/artifact-store.js';

/** What nobody names is left alone for so long: it may belong to a deploy that is being taken in. */
const LEFT_ALONE_MS = 86_400_000;
/** A deletion takes milliseconds; ingests wait for one batch at most. */
const BATCH = 200;
/** While something is being taken in nothing is deleted. What is not deleted now is so the next time. */
const TRIES = 40;
const RETRY_MS = 250;

export interface Collected {
  readonly deploys: number;
  readonly blobs: number;
}

/** Removes what no deploy needs any more. */
@Injectable()
export class GarbageCollectionService {
  constructor(
    private readonly deploys: HostedDeploysStore,
    private readonly aliases: AliasesStore,
    private readonly store: ArtifactStore,
    private readonly lock: StoreLock,
    private readonly trees: AppTrees,
    private readonly logs: AppLogStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Removes all deploys but these and those that some host name shows, and the blobs that then nobody names. Deploys
   * and blobs of the last day stay in any case. It may run in several processes at once, and beside ingests.
   *
   * @param keep ids of deploys that may be shown again.
   */
  async collect(keep: AsyncIterable<string>): Promise<Collected> {
    const before = this.clock.now().getTime() - LEFT_ALONE_MS;
    const kept = new Set<string>();
    for await (const deployId of keep) kept.add(deployId);
    // After those to keep: whatever came to be shown meanwhile is among them.
    for (const deployId of await this.aliases.deployIds()) kept.add(deployId);

    const named = new Set<string>();
    let deploys = 0;
    for await (const deploy of this.deploys.all()) {
      if (
        !kept.has(deploy.deployId) &&
        deploy.createdAt.getTime() < before &&
        (await this.deploys.removeUnshown(deploy.deployId))
      ) {
        deploys++;
        await this.logs.remove(deploy.deployId);
        continue;
      }
      named.add(deploy.manifest);
      for (const hash of hashesOf(await readManifest(this.store, deploy.manifest))) named.add(hash);
    }
    const blobs = await this.sweep(named, before);
    await this.store.tidy();
    await this.trees.removeAllBut(async (deployId) => (await this.deploys.find(deployId)) !== null);
    this.log.info({ deploys, blobs }, 'Files of deploys that nobody needs any more were removed.');
    return { deploys, blobs };
  }

  private async sweep(named: ReadonlySet<string>, before: number): Promise<number> {
    let removed = 0;
    let batch: string[] = [];
    const flush = async (): Promise<void> => {
      removed += await this.removeAll(batch, before);
      batch = [];
    };
    for await (const { key, changedAt } of this.store.list()) {
      if (named.has(hashOf(key)!) || changedAt.getTime() >= before) continue;
      batch.push(key);
      if (batch.length === BATCH) await flush();
    }
    await flush();
    return removed;
  }

  private async removeAll(keys: readonly string[], before: number): Promise<number> {
    if (keys.length === 0) return 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const removed = await this.lock.unlessAdding(() => this.removeOld(keys, before));
      if (removed !== undefined) return removed;
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY_MS).unref();
      });
    }
    return 0;
  }

  /** Under the lock each is looked at again: a deploy that was taken in since has made those that it names young. */
  private async removeOld(keys: readonly string[], before: number): Promise<number> {
    let removed = 0;
    for (const key of keys) {
      const changedAt = await this.store.changedAt(key);
      if (changedAt === null || changedAt.getTime() >= before) continue;
      await this.store.delete(key);
      removed++;
    }
    return removed;
  }
}

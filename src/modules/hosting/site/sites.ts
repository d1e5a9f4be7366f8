import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { readManifest } from '../ingest/manifest.js';
import { HostedDeploysStore } from '../persistence/hosted-deploys.store.js';
import { BlobStorage } from '../../../platform/blobs/blob-storage.js';
import { Site } from './site.js';

/** A path with its hash and sizes takes a few hundred bytes. */
const MAX_FILES_IN_MEMORY = 200_000;

/** A deploy that can be served. */
export interface LoadedSite {
  readonly deployId: string;
  readonly orgId: string;
  readonly site: Site;
  /** The time of the ingest, which is `Last-Modified` of all its files. */
  readonly createdAt: Date;
  /** The fields of its log lines for `Log.infoLine`, such as `,"deployId":"dpl_…","orgId":"org_…"`. */
  readonly logFields: string;
}

/** Caches the deploys that are served. They never change, so the cache needs no invalidation. */
@Injectable()
export class Sites {
  private readonly loaded = new LRUCache<string, LoadedSite>({
    maxSize: MAX_FILES_IN_MEMORY,
    sizeCalculation: ({ site }) => site.weight + 100,
  });
  private readonly loading = new Map<string, Promise<LoadedSite | null>>();

  constructor(
    private readonly deploys: HostedDeploysStore,
    private readonly store: BlobStorage,
  ) {}

  known(deployId: string): LoadedSite | undefined {
    return this.loaded.get(deployId);
  }

  /** Returns null when the deploy cannot be served yet, or no longer. */
  find(deployId: string): Promise<LoadedSite | null> {
    let loading = this.loading.get(deployId);
    if (loading === undefined) {
      loading = this.load(deployId).finally(() => {
        this.loading.delete(deployId);
      });
      this.loading.set(deployId, loading);
    }
    return loading;
  }

  private async load(deployId: string): Promise<LoadedSite | null> {
    const deploy = await this.deploys.find(deployId);
    if (deploy === null) return null;
    const manifest = await readManifest(this.store, deploy.manifest);
    const { orgId, createdAt } = deploy;
    const logFields = `,"deployId":${JSON.stringify(deployId)},"orgId":${JSON.stringify(orgId)}`;
    const loaded = { deployId, orgId, site: await Site.open(manifest), createdAt, logFields };
    this.loaded.set(deployId, loaded);
    return loaded;
  }
}

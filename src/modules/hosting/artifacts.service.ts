import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { growingCache } from '../../platform/caches/growing-cache.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Clock } from '../../platform/time/clock.js';
import type { BuiltOutput } from './built-output.js';
import { requireServable } from './ingest/built-check.js';
import { Ingest, type IngestLimits, type VariantSizes } from './ingest/ingest.js';
import type { Manifest } from './ingest/manifest.js';
import { Room } from './ingest/room.js';
import type { HostedDeploy } from './persistence/hosted-deploy.entity.js';
import { HostedDeploysStore } from './persistence/hosted-deploys.store.js';
import { StoredBytesStore } from './persistence/stored-bytes.store.js';
import { StoreLock } from './persistence/store-lock.js';
import { BlobStorage, contentOf } from '../../platform/blobs/blob-storage.js';
import { keyOf } from './store/content-keys.js';

/** The owner of a deploy's files. */
export interface DeployOwner {
  readonly deployId: string;
  readonly projectId: string;
  readonly orgId: string;
}

export type { IngestLimits };

const MAX_KNOWN_VARIANTS = 20_000;

/** Stores the files of deploys. They are ingested from a build once and never change afterwards. */
@Injectable()
export class ArtifactsService {
  private readonly variants = growingCache<VariantSizes>(MAX_KNOWN_VARIANTS);

  constructor(
    private readonly blobs: BlobStorage,
    private readonly deploys: HostedDeploysStore,
    private readonly lock: StoreLock,
    private readonly stored: StoredBytesStore,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Ingests the output of a build. Once this resolves, every process can serve the deploy; before that, none can.
   * Another attempt of the same deploy replaces the first one.
   *
   * @throws {ArtifactRefused} `output_too_large`, `output_invalid`, `routing_invalid`, `storage_limit_reached`
   * @throws the signal's reason when it was aborted.
   */
  async ingest(
    owner: DeployOwner,
    built: BuiltOutput,
    limits: IngestLimits,
    signal: AbortSignal,
  ): Promise<{ files: number; bytes: number }> {
    await requireServable(built);
    return this.lock.whileAdding((requireHeld) =>
      this.inRoom(owner, limits.storedBytes, async (room) => {
        const { files, links, count, bytes } = await new Ingest(
          this.blobs,
          limits,
          signal,
          this.variants,
          room,
          join(this.config.dataDir, 'ingest'),
        ).takeAll(built);
        const { framework, nodeVersion, kind, server, static: mounts, routing } = built;
        const blob = Buffer.from(
          JSON.stringify({
            version: 1,
            framework,
            nodeVersion,
            kind,
            server,
            static: mounts,
            routing,
            files,
            ...(Object.keys(links).length === 0 ? {} : { links }),
          } satisfies Manifest),
        );
        const manifest = createHash('sha256').update(blob).digest('hex');
        await room.take(blob.length);
        await this.blobs.put(keyOf(manifest), contentOf(blob));
        signal.throwIfAborted();
        requireHeld();
        await room.settle((stored) => this.put(owner, { kind, manifest, files: count, bytes: stored }));
        return { files: count, bytes };
      }),
    );
  }

  /**
   * Gives the deploy the files of another deploy of its project, which it keeps when the other one is deleted. They
   * count again toward the storage of the organization. Returns false when the other deploy has no files any more.
   *
   * @throws {ArtifactRefused} `storage_limit_reached`
   */
  async adopt(
    fromDeployId: string,
    owner: DeployOwner,
    { storedBytes }: Pick<IngestLimits, 'storedBytes'>,
  ): Promise<boolean> {
    return this.lock.whileAdding(() =>
      this.inRoom(owner, storedBytes, async (room) => {
        const from = await this.deploys.find(fromDeployId);
        if (from?.projectId !== owner.projectId) return false;
        await room.take(from.bytes);
        const { kind, manifest, files } = from;
        await room.settle((stored) => this.put(owner, { kind, manifest, files, bytes: stored }));
        return true;
      }),
    );
  }

  private async inRoom<T>(
    { orgId, deployId }: DeployOwner,
    storedBytes: number,
    work: (room: Room) => Promise<T>,
  ): Promise<T> {
    const room = new Room(this.database, this.stored, { orgId, deployId, storedBytes });
    try {
      return await work(room);
    } finally {
      await room.close();
    }
  }

  private put(
    { deployId, projectId, orgId }: DeployOwner,
    { kind, manifest, files, bytes }: Pick<HostedDeploy, 'kind' | 'manifest' | 'files' | 'bytes'>,
  ): Promise<void> {
    return this.deploys.put({ deployId, projectId, orgId, kind, manifest, files, bytes, createdAt: this.clock.now() });
  }

  /** True when the deploy can be served. */
  async has(deployId: string): Promise<boolean> {
    return (await this.deploys.find(deployId)) !== null;
  }

  /**
   * Removes the deploy, which can then no longer be served. The next garbage collection deletes the blobs that no other
   * deploy uses.
   */
  async remove(deployId: string): Promise<void> {
    await this.deploys.remove(deployId);
  }
}

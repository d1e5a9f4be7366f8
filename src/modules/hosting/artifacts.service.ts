import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../platform/time/clock.js';
import type { BuiltOutput } from './built-output.js';
import { requireServable } from './ingest/built-check.js';
import { blobOf, Ingest, type IngestLimits, type VariantSizes } from './ingest/ingest.js';
import type { Manifest } from './ingest/manifest.js';
import { HostedDeploysStore } from './persistence/hosted-deploys.store.js';
import { StoreLock } from './persistence/store-lock.js';
import { ArtifactStore, keyOf } from './store/artifact-store.js';

/** Whose files they are. */
export interface DeployOwner {
  readonly deployId: string;
  readonly projectId: string;
  readonly orgId: string;
}

export type { IngestLimits };

const MAX_KNOWN_VARIANTS = 20_000;

/** The files of deploys: taken from a build once, and then never changed. */
@Injectable()
export class ArtifactsService {
  private readonly variants = new LRUCache<string, VariantSizes>({ max: MAX_KNOWN_VARIANTS });

  constructor(
    private readonly store: ArtifactStore,
    private readonly deploys: HostedDeploysStore,
    private readonly lock: StoreLock,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes what a build has made. When it resolves the deploy can be served, by every process; until then nothing of it can.
   * Taking the same deploy again, in another attempt, replaces it.
   *
   * @throws {ArtifactRefused} `output_too_large`, `output_invalid`, `routing_invalid`
   * @throws the signal's reason when it was aborted.
   */
  async ingest({ deployId, projectId, orgId }: DeployOwner, built: BuiltOutput, limits: IngestLimits, signal: AbortSignal): Promise<{ files: number; bytes: number }> {
    requireServable(built);
    return this.lock.whileAdding(async (requireHeld) => {
      const { files, count, bytes } = await new Ingest(this.store, limits, signal, this.variants).takeAll(built);
      const { framework, nodeVersion, kind, server, static: mounts, routing } = built;
      const manifest: Manifest = { version: 1, framework, nodeVersion, kind, server, static: mounts, routing, files };
      const blob = Buffer.from(JSON.stringify(manifest));
      const sha256 = createHash('sha256').update(blob).digest('hex');
      await this.store.put(keyOf(sha256), blobOf(blob));
      signal.throwIfAborted();
      requireHeld();
      await this.deploys.put({ deployId, projectId, orgId, kind, manifest: sha256, files: count, bytes, createdAt: this.clock.now() });
      return { files: count, bytes };
    });
  }

  /**
   * The deploy has the files of another one of its project as its own, and keeps them whatever becomes of that. False where
   * the other one has none any more.
   */
  async adopt(fromDeployId: string, { deployId, projectId, orgId }: DeployOwner): Promise<boolean> {
    return this.lock.whileAdding(async () => {
      const from = await this.deploys.find(fromDeployId);
      if (from?.projectId !== projectId) return false;
      const { kind, manifest, files, bytes } = from;
      await this.deploys.put({ deployId, projectId, orgId, kind, manifest, files, bytes, createdAt: this.clock.now() });
      return true;
    });
  }

  /** Whether the deploy can be served. */
  async has(deployId: string): Promise<boolean> {
    return (await this.deploys.find(deployId)) !== null;
  }

  /** The deploy cannot be served any more. Its blobs go with the next garbage collection that finds nobody else in need of them. */
  async remove(deployId: string): Promise<void> {
    await this.deploys.remove(deployId);
  }
}

import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BlobMissing, type ByteRange } from '../../../platform/blobs/blob-storage.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { ArtifactsStore } from '../persistence/artifacts.store.js';
import type { SandboxArtifact } from '../persistence/sandbox-artifact.entity.js';
import { ArtifactNotFound } from '../sandbox.errors.js';
import { ArtifactBlobs, keyOfArtifact } from './artifact-blobs.js';

/** Gives the files of executions to those who can read the execution. */
@Injectable()
export class ArtifactReads {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly artifacts: ArtifactsStore,
    private readonly blobs: ArtifactBlobs,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {ExecutionNotFound} `execution_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, executionId: string): Promise<SandboxArtifact[]> {
    const { id } = await this.executions.get(call, executionId);
    return this.artifacts.listOf(id, this.clock.now());
  }

  /**
   * @throws as {@link list}.
   * @throws {ArtifactNotFound} `artifact_not_found`
   */
  async get(call: Call, executionId: string, artifactId: string): Promise<SandboxArtifact> {
    const { id } = await this.executions.get(call, executionId);
    const artifact = await this.artifacts.find(id, artifactId, this.clock.now());
    if (artifact === null) throw new ArtifactNotFound();
    return artifact;
  }

  /**
   * Opens what {@link get} returned, or a part of it.
   *
   * @throws {ArtifactNotFound} `artifact_not_found`
   */
  async open({ id }: SandboxArtifact, range?: ByteRange): Promise<Readable> {
    try {
      return await this.blobs.get(keyOfArtifact(id), range);
    } catch (error) {
      // It has expired this moment.
      if (error instanceof BlobMissing) throw new ArtifactNotFound();
      throw error;
    }
  }
}

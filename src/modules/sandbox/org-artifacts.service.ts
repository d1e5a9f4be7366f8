import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type { Call } from '../auth/caller.js';
import { ArtifactReads } from './artifacts/artifact-reads.js';
import { ExecutionNotFound } from './sandbox.errors.js';

interface ArtifactPlace {
  readonly executionId: string;
  readonly artifactId: string;
}

/** A part of a file that an execution kept. */
interface ArtifactPiece {
  readonly bytes: Buffer;
  /** The size of the whole file. */
  readonly sizeBytes: number;
  readonly path: string;
  /** The media type that the name of the file stands for. */
  readonly type: string;
  readonly expiresAt: Date;
}

/** Reads the files that executions of an organization kept, for other modules. */
@Injectable()
export class OrgArtifactsService {
  constructor(private readonly artifacts: ArtifactReads) {}

  /**
   * Returns at most `length` bytes from `start` on, of an execution of the organization of the call.
   *
   * @throws {ExecutionNotFound} `execution_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ArtifactNotFound} `artifact_not_found`
   */
  async read(
    call: Call,
    { executionId, artifactId }: ArtifactPlace,
    { start, length }: { readonly start: number; readonly length: number },
  ): Promise<ArtifactPiece> {
    const artifact = await this.artifacts.get(call, executionId, artifactId);
    const { orgId, path, type, expiresAt } = artifact;
    if (orgId !== call.org.id) throw new ExecutionNotFound();
    const sizeBytes = Number(artifact.sizeBytes);
    const end = Math.min(start + length, sizeBytes) - 1;
    const bytes = start > end ? Buffer.alloc(0) : await buffer(await this.artifacts.open(artifact, { start, end }));
    return { bytes, sizeBytes, path, type, expiresAt };
  }
}

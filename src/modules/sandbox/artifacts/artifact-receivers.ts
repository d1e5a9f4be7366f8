import type { PassThrough } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { lookup } from 'mrmime';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { ARTIFACT_HOURS, type KeptArtifact, type SentFile } from '../domain/artifacts.js';
import { ArtifactsStore } from '../persistence/artifacts.store.js';
import { ARTIFACT_ID } from '../sandbox.ids.js';
import { ArtifactBlobs, keyOfArtifact } from './artifact-blobs.js';
import { ArtifactReceiver } from './artifact-receiver.js';

const KEPT_MS = ARTIFACT_HOURS * 3_600_000;
const UNKNOWN_TYPE = 'application/octet-stream';

interface Owner {
  readonly executionId: string;
  readonly orgId: string;
}

/** Stores the files of executions in this worker. */
@Injectable()
export class ArtifactReceivers {
  private readonly logger = new Logger('Artifacts');

  constructor(
    private readonly blobs: ArtifactBlobs,
    private readonly artifacts: ArtifactsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Storing must not take longer than the execution may last, or its caller no longer waits.
   * @param signal gives it up at once when it is aborted.
   */
  open(owner: Owner, withinMs: number, signal?: AbortSignal): ArtifactReceiver {
    return new ArtifactReceiver((file, content) => this.store(owner, file, content), withinMs, signal);
  }

  /** The row comes first: whatever happens to this process, a blob is found and removed. */
  private async store(
    owner: Owner,
    { path, sizeBytes }: SentFile,
    content: PassThrough,
  ): Promise<Omit<KeptArtifact, 'sha256'> | null> {
    const id = this.ids.next(ARTIFACT_ID);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + KEPT_MS);
    const type = lookup(path) ?? UNKNOWN_TYPE;
    try {
      await this.artifacts.add({ ...owner, id, path, type, sizeBytes: String(sizeBytes), createdAt, expiresAt });
      await this.blobs.put(keyOfArtifact(id), { bytes: sizeBytes, open: () => content, isNew: true });
      return { id, path, sizeBytes, type, expiresAt: expiresAt.toISOString() };
    } catch (error) {
      this.logger.warn({ msg: 'An artifact was not stored', execution_id: owner.executionId, err: error });
      return null;
    }
  }
}

import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { UploadedTrees } from '../../repositories/uploaded-trees.js';
import { contentsOf, sumOf } from '../domain/upload-files.js';
import type { Upload } from '../persistence/upload.js';
import { UploadsStore } from '../persistence/uploads.store.js';
import { FramedBlobs, withoutSilence } from './framed-blobs.js';

const SILENCE_MS = 60_000;

/** Stores the content of uploads, and commits complete ones. */
@Injectable()
export class UploadContent {
  constructor(
    private readonly uploads: UploadsStore,
    private readonly trees: UploadedTrees,
  ) {}

  /** Returns the content that is announced and not stored, by hash with its size. */
  async missingOf({ storeId, files }: Upload): Promise<ReadonlyMap<string, number>> {
    if (files === null) return new Map();
    const sizes = contentsOf(files);
    const stored = await this.uploads.objectsOf(storeId, [...sizes.keys()]);
    return new Map([...sizes].filter(([hash]) => !stored.has(hash)));
  }

  /**
   * Stores what the body holds, all or nothing, and returns the hashes that are missing after that.
   *
   * @throws {UploadContentInvalid} `upload_content_invalid`
   * @throws {TooManyGitCalls} `concurrency_limit_exceeded`
   */
  async receive(
    { storeId, orgId }: Upload,
    missing: ReadonlyMap<string, number>,
    body: Readable,
  ): Promise<readonly string[]> {
    const framed = new FramedBlobs(withoutSilence(body, SILENCE_MS), missing);
    const limits = { maxBlobs: missing.size, maxBytes: sumOf(missing.values()) };
    const objects = await this.trees.store({ storeId, orgId }, framed.blobs(), limits);
    await this.uploads.setStored(storeId, new Map(framed.hashes.map((hash, index) => [hash, objects[index]!])));
    const received = new Set(framed.hashes);
    return [...missing.keys()].filter((hash) => !received.has(hash));
  }

  /** Commits a complete upload, once. */
  async commit({ id, storeId, files, commitSha }: Upload): Promise<string> {
    if (commitSha !== null || files === null) return commitSha!;
    const objects = await this.uploads.objectsOf(storeId, [...contentsOf(files).keys()]);
    const committed = await this.trees.commit(
      storeId,
      id,
      files.map(({ path, sha256, executable }) => ({ path, executable, objectId: objects.get(sha256)! })),
    );
    await this.uploads.setCommit(id, committed);
    return committed;
  }

  pathOf({ storeId }: Upload): string {
    return this.trees.pathOf(storeId);
  }
}

import { Injectable } from '@nestjs/common';
import { UploadContent } from './content/upload-content.js';
import { UploadsStore } from './persistence/uploads.store.js';
import { UploadNotFound } from './uploads.errors.js';

/** Where the files of an upload can be fetched. */
export interface UploadSource {
  /** The path of a bare repository on this machine. */
  readonly localRepository: string;
  readonly commitSha: string;
}

/** Makes uploads available to builds. For background work without a caller. */
@Injectable()
export class UploadSources {
  constructor(
    private readonly uploads: UploadsStore,
    private readonly content: UploadContent,
  ) {}

  /**
   * Commits the files of a complete upload, if that has not happened yet.
   *
   * @throws {UploadNotFound} `upload_not_found` when it was deleted after its time.
   */
  async of(projectId: string, uploadId: string): Promise<UploadSource> {
    const upload = await this.uploads.find(uploadId, projectId);
    if (upload === undefined) throw new UploadNotFound();
    return { localRepository: this.content.pathOf(upload), commitSha: await this.content.commit(upload) };
  }
}

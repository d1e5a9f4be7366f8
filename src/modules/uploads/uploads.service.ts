import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { ProjectsService } from '../projects/projects.service.js';
import { type AnnouncedFile, contentsOf, sumOf } from './domain/upload-files.js';
import type { Upload } from './persistence/upload.js';
import { UploadsStore } from './persistence/uploads.store.js';
import { UploadContent } from './content/upload-content.js';
import { UploadRoom } from './content/upload-room.js';
import { UploadIncomplete, UploadNotFound } from './uploads.errors.js';
import { UPLOAD_ID } from './uploads.ids.js';

/** Callers may abandon uploads. Only the lists of files of the last few are kept. */
const KEPT_UNCOMMITTED = 10;

export interface BegunUpload {
  readonly upload: Upload;
  /** The hashes of the content that has to be sent, each once. */
  readonly missing: readonly string[];
}

/** Receives the files of directories that are deployed without git. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly uploads: UploadsStore,
    private readonly room: UploadRoom,
    private readonly content: UploadContent,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Announces the files of a directory, and returns what content of them the project has not stored yet.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {UploadTooLarge} `upload_too_large`
   * @throws {UploadStorageFull} `upload_storage_full`
   */
  begin(call: Call, projectIdOrSlug: string, files: readonly AnnouncedFile[]): Promise<BegunUpload> {
    return this.database.transaction(async () => {
      const { id: projectId, orgId } = await this.projects.get(call, projectIdOrSlug, 'deploys:write');
      this.room.requireSize(sumOf(contentsOf(files).values()));
      await this.uploads.lock(orgId);
      const { storeId, missing } = await this.room.take({ orgId, projectId }, files);
      const upload: Upload = {
        id: this.ids.next(UPLOAD_ID),
        storeId,
        orgId,
        projectId,
        files,
        fileCount: files.length,
        bytes: sumOf(files.map(({ bytes }) => bytes)),
        commitSha: null,
        createdAt: this.clock.now(),
      };
      await this.uploads.insert(upload, call.principal.user.id);
      await this.uploads.deleteUncommitted(projectId, KEPT_UNCOMMITTED);
      return { upload, missing };
    });
  }

  /**
   * Stores content that the upload misses, and returns the hashes that are still missing. `body` is undefined to check
   * the call only.
   *
   * @throws as {@link begin}.
   * @throws {UploadNotFound} `upload_not_found`
   * @throws {UploadContentInvalid} `upload_content_invalid`; nothing of the body is stored then.
   * @throws {TooManyGitCalls} `concurrency_limit_exceeded`
   */
  async receive(
    call: Call,
    { projectIdOrSlug, uploadId }: { projectIdOrSlug: string; uploadId: string },
    body: Readable | undefined,
  ): Promise<readonly string[]> {
    const { id: projectId } = await this.projects.get(call, projectIdOrSlug, 'deploys:write');
    const upload = await this.uploads.find(uploadId, projectId);
    if (upload === undefined) throw new UploadNotFound();
    const missing = await this.content.missingOf(upload);
    return body === undefined ? [...missing.keys()] : this.content.receive(upload, missing, body);
  }

  /** Returns what the uploads of an organization take of the storage of its plan, announced content included. */
  bytesOf(orgId: string): Promise<number> {
    return this.uploads.bytesOfOrganization(orgId);
  }

  /**
   * Checks that an upload of the project can be deployed.
   *
   * @throws {UploadNotFound} `upload_not_found`
   * @throws {UploadIncomplete} `upload_incomplete`
   */
  async requireComplete(projectId: string, uploadId: string): Promise<void> {
    const upload = await this.uploads.find(uploadId, projectId);
    if (upload === undefined) throw new UploadNotFound();
    const missing = await this.content.missingOf(upload);
    if (missing.size > 0) throw new UploadIncomplete([...missing.keys()]);
  }
}

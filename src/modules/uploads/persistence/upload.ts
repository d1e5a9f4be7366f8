import type { AnnouncedFile } from '../domain/upload-files.js';

/** Where the content of a project's uploads is kept. */
export interface UploadStore {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
}

/** The files of a directory at one time. */
export interface Upload extends Omit<UploadStore, 'id'> {
  readonly id: string;
  readonly storeId: string;
  /** Null once the files are committed. */
  readonly files: readonly AnnouncedFile[] | null;
  readonly fileCount: number;
  readonly bytes: number;
  readonly commitSha: string | null;
  readonly createdAt: Date;
}

export const ATTACHMENT_TARGETS = ['production', 'preview'] as const;
export type AttachmentTarget = (typeof ATTACHMENT_TARGETS)[number];

/** Which database previews get: the attached one, a branch of it for each git branch, or none. */
export const PREVIEW_DATABASES = ['same', 'branch', 'none'] as const;
export type PreviewDatabases = (typeof PREVIEW_DATABASES)[number];

export const ATTACHMENT_ACCESSES = ['owner', 'reader'] as const;
export type AttachmentAccess = (typeof ATTACHMENT_ACCESSES)[number];

export interface AttachmentFields {
  /** The beginning of the variables that deploys get, such as `<prefix>_URL`. */
  readonly prefix: string;
  readonly targets: readonly AttachmentTarget[];
  readonly previews: PreviewDatabases;
  readonly access: AttachmentAccess;
}

export interface Attachment extends AttachmentFields {
  readonly databaseId: string;
  readonly projectId: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The branch of a database that the previews of one git branch use. */
export interface PreviewBranch {
  readonly parentId: string;
  readonly projectId: string;
  readonly branch: string;
  readonly databaseId: string;
}

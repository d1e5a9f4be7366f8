import type { KeyAccess } from '../access-keys/access-key-rows.js';

export const ATTACHMENT_TARGETS = ['production', 'preview'] as const;
export type AttachmentTarget = (typeof ATTACHMENT_TARGETS)[number];

/** A bucket whose address and key pair the deploys of a project get as environment variables. */
export interface BucketAttachment {
  readonly bucketId: string;
  readonly projectId: string;
  /** What the names of the variables begin with. */
  readonly prefix: string;
  readonly access: KeyAccess;
  readonly targets: readonly AttachmentTarget[];
  /** The key pair of the attachment, which ends with it. */
  readonly accessKeyId: string;
  readonly createdAt: Date;
}

export const KEY_ACCESSES = ['read', 'write'] as const;
/** `write` includes `read`. */
export type KeyAccess = (typeof KEY_ACCESSES)[number];

/** A key pair of S3, as it is stored. Its secret is encrypted, because signatures are checked with it. */
export interface AccessKey {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly access: KeyAccess;
  /** Null means every bucket of the organization. */
  readonly bucketIds: readonly string[] | null;
  readonly secret: Buffer;
  /** The project of an attachment, whose key belongs to the attachment and not to a person. */
  readonly projectId: string | null;
  /** The person whose permissions the key has, unless it belongs to an attachment. */
  readonly createdBy: string;
  /** The API key that it was created with, if any. Its end is the end of this key. */
  readonly createdKeyId: string | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

export const CREDENTIAL_ACCESSES = ['owner', 'reader'] as const;
export type CredentialAccess = (typeof CREDENTIAL_ACCESSES)[number];

export interface DatabaseCredential {
  readonly id: string;
  readonly databaseId: string;
  readonly name: string;
  readonly access: CredentialAccess;
  readonly username: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** A rotated credential works until then. Null works until it is deleted. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** The verifier is read for sign-in alone. */
export type NewDatabaseCredential = DatabaseCredential & { readonly verifier: string };

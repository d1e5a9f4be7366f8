/** A secret that is used for hashes or ciphertexts, and its version. */
export interface VersionedSecret {
  readonly version: number;
  readonly secret: string;
}

const MIN_LENGTH = 32;

/**
 * Reads `2:<secret>,1:<older secret>`, the newest first; a secret alone is version 1. Returns undefined for anything
 * else. An old secret stays until nothing that was created with it is needed.
 */
export function parseVersionedSecrets(text: string): readonly VersionedSecret[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const secrets = parts.map((part) => {
    const [, version, secret] = /^(\d{1,6}):(.+)$/.exec(part) ?? [
      undefined,
      parts.length === 1 ? '1' : undefined,
      part,
    ];
    return { version: Number(version), secret };
  });
  const versions = new Set(secrets.map(({ version }) => version));
  const isSound =
    versions.size === secrets.length &&
    secrets.every(({ version, secret }) => version >= 1 && secret.length >= MIN_LENGTH);
  return isSound ? secrets : undefined;
}

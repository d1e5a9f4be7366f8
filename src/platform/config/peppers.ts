/** A secret that hashes are made with, and which one it is. */
export interface Pepper {
  readonly version: number;
  readonly secret: string;
}

const MIN_LENGTH = 32;

/**
 * Reads `2:<secret>,1:<older secret>`, the newest first; a secret alone is version 1. Undefined when it is neither.
 * An old one stays until every key that was hashed with it has been used, rotated or given up.
 */
export function parsePeppers(text: string): readonly Pepper[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const peppers = parts.map((part) => {
    const [, version, secret] = /^(\d{1,6}):(.+)$/.exec(part) ?? [undefined, parts.length === 1 ? '1' : undefined, part];
    return { version: Number(version), secret };
  });
  const versions = new Set(peppers.map(({ version }) => version));
  const isSound = versions.size === peppers.length && peppers.every(({ version, secret }) => version >= 1 && secret.length >= MIN_LENGTH);
  return isSound ? peppers : undefined;
}

/** Shorter values are in too many words by chance. */
const MIN_LENGTH = 4;
const MASK = '[secret]';

/**
 * Hides the values of secret variables in text: as they are, line by line where they have several, and as Base64, in a URL
 * or in JSON they would be written. What a program makes of a secret in any other way cannot be known again.
 *
 * @param secrets the values; those of fewer than four characters are let be.
 */
export function secretMask(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets.flatMap(spellingsOf))].filter((text) => text.length >= MIN_LENGTH)
    // A secret that contains another one is hidden whole.
    .sort((one, other) => other.length - one.length);
  if (hidden.length === 0) return (text) => text;
  const pattern = new RegExp(hidden.map((text) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'), 'g');
  return (text) => text.replace(pattern, MASK);
}

function spellingsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const bytes = Buffer.from(secret);
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return [
    secret, ...lines,
    bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'),
    encodeURIComponent(bytes.toString()), JSON.stringify(secret).slice(1, -1),
  ];
}

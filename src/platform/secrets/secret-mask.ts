import { PatternSet } from './pattern-set.js';

/** Shorter values occur in too many words by chance. */
const MIN_LENGTH = 4;
const MASK = Buffer.from('[secret]');

export type Mask = (text: string) => string;

/**
 * Hides the values of secrets in text: in plain form, line by line if they have several lines, and encoded in
 * Base64, in a URL or in JSON. Values that overlap are hidden as one. Other encodings are not recognized. The time is
 * proportional to the text, however many values there are.
 *
 * @param secrets The values. Those of fewer than four characters are not hidden.
 */
export async function secretMask(secrets: readonly string[]): Promise<Mask> {
  const spellings = new Set(secrets.flatMap(spellingsOf).filter((text) => text.length >= MIN_LENGTH));
  if (spellings.size === 0) return (text) => text;
  const patterns = await PatternSet.of([...spellings].map((text) => Buffer.from(text)));
  return (text) => {
    const bytes = Buffer.from(text);
    const found = patterns.coveredBy(bytes);
    if (found.length === 0) return text;
    const parts: Buffer[] = [];
    let end = 0;
    for (const range of found) {
      parts.push(bytes.subarray(end, range.start), MASK);
      end = range.end;
    }
    return Buffer.concat([...parts, bytes.subarray(end)]).toString();
  };
}

/** A log is masked line by line, so that a value of several lines never occurs as a whole. */
function spellingsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  return [
    ...linesOf(secret),
    base64,
    base64.replaceAll('=', ''),
    bytes.toString('base64url'),
    encodeURIComponent(bytes.toString()),
    JSON.stringify(secret).slice(1, -1),
  ];
}

function linesOf(secret: string): string[] {
  const lines = secret.split('\n');
  return lines.length === 1 ? [secret, secret.trim()] : lines.map((line) => line.trim());
}

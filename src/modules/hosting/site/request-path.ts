/** The longest path that is served, because rules of deploys are matched with all of it. */
const MAX_PATH = 2_048;
/** Control characters, a backslash and an encoded slash are refused: each could name a file by another path. */
const SUSPICIOUS = /%(?:2f|5c|00)/i;

/**
 * Returns the path of a request target, decoded once and without its query, or undefined when it is invalid. The path
 * is only looked up in a map of the deploy's files, so it cannot lead anywhere else.
 */
export function pathOfTarget(target: string): string | undefined {
  const raw = rawPathOf(target);
  if (raw.length > MAX_PATH || !raw.startsWith('/') || raw.includes('\\')) return undefined;
  if (!raw.includes('%')) return raw;
  if (SUSPICIOUS.test(raw)) return undefined;
  try {
    const path = decodeURIComponent(raw);
    return /\p{Cc}/u.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}

/** True when the path alone is longer than any path that is served. */
export const isTooLong = (target: string): boolean => rawPathOf(target).length > MAX_PATH;

function rawPathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** Rules of deploys are matched with all of it. */
const MAX_PATH = 2_048;
/** NUL and what else no file has, a backslash, an encoded slash: each is a way to name a file by another name. */
const SUSPICIOUS = /%(?:2f|5c|00)/i;

/**
 * The path of a request target, decoded once, without its query; undefined for what names no path. It is only ever
 * looked up in a map of the deploy's files, so nothing that it says leads anywhere else.
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

/** Whether its path alone is longer than any that is served. */
export const isTooLong = (target: string): boolean => rawPathOf(target).length > MAX_PATH;

function rawPathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

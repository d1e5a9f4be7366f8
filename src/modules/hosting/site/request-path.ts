/** NUL and what else no file has, a backslash, an encoded slash: each is a way to name a file by another name. */
const SUSPICIOUS = /%(?:2f|5c|00)/i;

/**
 * The path of a request target, decoded once, without its query; undefined for what names no path. It is only ever looked
 * up in a map of the deploy's files, so nothing that it says leads anywhere else.
 */
export function pathOfTarget(target: string): string | undefined {
  const end = target.search(/[?#]/);
  const raw = end === -1 ? target : target.slice(0, end);
  if (!raw.startsWith('/') || raw.includes('\\')) return undefined;
  if (!raw.includes('%')) return raw;
  if (SUSPICIOUS.test(raw)) return undefined;
  try {
    const path = decodeURIComponent(raw);
    return /\p{Cc}/u.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}

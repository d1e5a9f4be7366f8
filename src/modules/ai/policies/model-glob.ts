/**
 * True when a pattern covers the ID of a model. `*` stands for any characters, also for none, and all other characters
 * for themselves. Each part of the pattern is searched once, from where the one before it ended, so that no pattern
 * takes longer than the product of both lengths.
 */
export function matchesGlob(pattern: string, id: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0]!;
  if (parts.length === 1) return id === first;
  const last = parts.at(-1)!;
  if (id.length < first.length + last.length || !id.startsWith(first) || !id.endsWith(last)) return false;
  const end = id.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = id.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The part of a key below its folder. */
export const nameBelow = (key: string, prefix: string): string => key.slice(prefix.length);

/** The folders that lead to a prefix: `a/b/` is in `a/`, which is in the bucket. */
export function foldersOf(prefix: string): { readonly name: string; readonly prefix: string }[] {
  const parts = prefix.split('/').slice(0, -1);
  return parts.map((name, depth) => ({ name, prefix: `${parts.slice(0, depth + 1).join('/')}/` }));
}

/** A folder as a person types it, as the beginning of keys: `a//b/` and `/a/b` are `a/b/`. */
export function prefixOf(text: string): string {
  const parts = text.split('/').filter((part) => part.trim() !== '');
  return parts.length === 0 ? '' : `${parts.join('/')}/`;
}

export type PreviewKind = 'image' | 'text' | 'video' | 'audio' | 'pdf';

/** Pictures that the page may draw; others, such as SVG, are text or documents. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const TEXTS =
  /^(?:text\/|application\/(?:json|xml|javascript|x-sh|yaml|x-yaml|toml|sql|x-ndjson|.*\+(?:json|xml))$|image\/svg\+xml$)/;

/** What can be shown of an object, by its type. */
export function previewOf(type: string): PreviewKind | undefined {
  const plain = type.split(';', 1)[0]!.trim().toLowerCase();
  if (IMAGES.has(plain)) return 'image';
  if (TEXTS.test(plain)) return 'text';
  if (plain.startsWith('video/')) return 'video';
  if (plain.startsWith('audio/')) return 'audio';
  return plain === 'application/pdf' ? 'pdf' : undefined;
}

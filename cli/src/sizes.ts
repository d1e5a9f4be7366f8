const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size for people, such as 1.2 MB. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 0), UNITS.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power]!}`;
}

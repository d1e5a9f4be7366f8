/** The longest subject that is stored. */
export const MAX_SUBJECT = 255;
const MAX_GROUPS = 500;
const MAX_GROUP = 255;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** True for a text of which people see everything. What is compared is refused otherwise, and never cleaned. */
export const isClean = (text: string): boolean => text.trim() !== '' && !UNSEEN.test(text);

/** A group gives a role: what would have to be cut or cleaned is left out, so that it cannot become another one. */
export function groupsAmong(values: readonly unknown[]): string[] {
  const names = values.filter(
    (group): group is string => typeof group === 'string' && group.length <= MAX_GROUP && isClean(group),
  );
  return [...new Set(names)].slice(0, MAX_GROUPS);
}

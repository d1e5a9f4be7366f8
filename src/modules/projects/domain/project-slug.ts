import { trimEnd } from '../../../platform/text/trim.js';

/** The maximum length of a host name label: a project is served under its slug. */
const MAX_LENGTH = 63;
const SLUG_FORM = /^[a-z0-9](?:-?[a-z0-9])*$/;

export const isProjectSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG_FORM.test(text);

/**
 * Derives a free slug from a name: `Café Zürich` becomes `cafe-zurich`, and a name without usable letters becomes
 * `project`. A slug that is taken gets a number, as in `project-2`.
 */
export function freeSlugOf(name: string, taken: ReadonlySet<string>): string {
  const base =
    shorten(
      name
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+/, ''),
      MAX_LENGTH,
    ) || 'project';
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = shorten(base, MAX_LENGTH - suffix.length) + suffix;
    if (!taken.has(slug)) return slug;
  }
}

const shorten = (text: string, length: number): string => trimEnd(text.slice(0, length), '-');

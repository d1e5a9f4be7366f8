import { trimEnd } from './trim.js';

/** The maximum length of a host name label, because a slug may be part of a host name. */
const MAX_LENGTH = 63;
const SLUG_FORM = /^[a-z0-9](?:-?[a-z0-9])*$/;

export const isSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG_FORM.test(text);

/**
 * Derives a free slug from a name: `Café Zürich` becomes `cafe-zurich`, and a name without usable letters becomes
 * `otherwise`. A slug that is taken gets a number, as in `shop-2`.
 */
export function freeSlugOf(
  name: string,
  { taken, otherwise }: { readonly taken: ReadonlySet<string>; readonly otherwise: string },
): string {
  const base =
    shorten(
      name
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+/, ''),
      MAX_LENGTH,
    ) || otherwise;
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = shorten(base, MAX_LENGTH - suffix.length) + suffix;
    if (!taken.has(slug)) return slug;
  }
}

const shorten = (text: string, length: number): string => trimEnd(text.slice(0, length), '-');

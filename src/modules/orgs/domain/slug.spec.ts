import fc from 'fast-check';
import { isSlug, RESERVED_NAMES, slugOf } from './slug.js';

const ID = 'org_01jd3m8yeqf5rb0xkq5ym8s6tn';

describe('slugs', () => {
  it.each([
    ['Acme', 'acme'],
    ['Café Zürich  AG', 'cafe-zurich-ag'],
    ['--a..b--', 'a-b'],
    ['x'.repeat(60), 'x'.repeat(39)],
    ['株式会社', 'org-kq5ym8s6tn'],
    ['Admin', 'org-kq5ym8s6tn'],
    ['a', 'org-kq5ym8s6tn'],
  ])('of %j is %j', (name, slug) => {
    expect(slugOf(name, ID)).toBe(slug);
  });

  it('can always be used, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
        const slug = slugOf(name, ID);
        expect(isSlug(slug) && !RESERVED_NAMES.has(slug)).toBe(true);
      }),
    );
  });

  it.each(['', 'a', '-ab', 'ab-', 'a--b', 'Ab', 'a_b', 'a b', 'a'.repeat(40), 'ab\n'])('are not %j', (text) => {
    expect(isSlug(text)).toBe(false);
  });
});

import fc from 'fast-check';
import { freeSlugOf, isSlug } from './slug.js';

describe('a slug', () => {
  it.each([
    ['Shop', [], 'shop'],
    ['Café Zürich  AG', [], 'cafe-zurich-ag'],
    ['--a..b--', [], 'a-b'],
    ['株式会社', [], 'page'],
    ['株式会社', ['page', 'page-2'], 'page-3'],
    ['x'.repeat(100), [], 'x'.repeat(63)],
    ['x'.repeat(100), ['x'.repeat(63)], `${'x'.repeat(61)}-2`],
    [`${'x'.repeat(60)} y`, [`${'x'.repeat(60)}-y`], `${'x'.repeat(60)}-2`],
  ])('of %j beside %j is %j', (name, taken, slug) => {
    expect(freeSlugOf(name, { taken: new Set(taken), otherwise: 'page' })).toBe(slug);
  });

  it('can always be used, whatever the name, and is free', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.nat(12), (name, others) => {
        const taken = new Set<string>();
        for (let made = 0; made <= others; made++) {
          const slug = freeSlugOf(name, { taken, otherwise: 'page' });
          expect([isSlug(slug), taken.has(slug)]).toEqual([true, false]);
          taken.add(slug);
        }
      }),
    );
  });

  it.each(['', '-a', 'a-', 'a--b', 'A', 'a_b', 'a.b', 'x'.repeat(64), 'xn--a', 'a\n'])('is not %j', (text) => {
    expect(isSlug(text)).toBe(false);
  });
});

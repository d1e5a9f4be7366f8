import fc from 'fast-check';
import { freeSlugOf, isProjectSlug } from './project-slug.js';

describe('the slug of a project', () => {
  it.each([
    ['Shop', [], 'shop'],
    ['Café Zürich  AG', [], 'cafe-zurich-ag'],
    ['--a..b--', [], 'a-b'],
    ['株式会社', [], 'project'],
    ['株式会社', ['project', 'project-2'], 'project-3'],
    ['x'.repeat(100), [], 'x'.repeat(63)],
    ['x'.repeat(100), ['x'.repeat(63)], `${'x'.repeat(61)}-2`],
    [`${'x'.repeat(60)} y`, [`${'x'.repeat(60)}-y`], `${'x'.repeat(60)}-2`],
  ])('of %j beside %j is %j', (name, taken, slug) => {
    expect(freeSlugOf(name, new Set(taken))).toBe(slug);
  });

  it('can always be used, whatever the name, and is free', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.nat(12), (name, others) => {
        const taken = new Set<string>();
        for (let made = 0; made <= others; made++) {
          const slug = freeSlugOf(name, taken);
          expect([isProjectSlug(slug), taken.has(slug)]).toEqual([true, false]);
          taken.add(slug);
        }
      }),
    );
  });

  it.each(['', '-a', 'a-', 'a--b', 'A', 'a_b', 'a.b', 'x'.repeat(64), 'xn--a', 'a\n'])('is not %j', (text) => {
    expect(isProjectSlug(text)).toBe(false);
  });
});

import fc from 'fast-check';
import { parseFilter } from './scim-filter.js';
import { parsePath } from './scim-path.js';
import { ScimRefusal } from './scim-refusal.js';

const ATTRIBUTES = ['userName', 'externalId', 'emails.value', 'id', 'active', 'displayName'] as const;
const text = fc.string({ unit: fc.constantFrom(...'a b c X Y Z 0 9 @ . - _ ( ) [ ] ä ß €'.split(' '), ' ') });

describe('parseFilter', () => {
  it.each([
    ['userName eq "ada@acme.com"', [['username', 'ada@acme.com']]],
    ['USERNAME Eq "a"', [['username', 'a']]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [['username', 'a']]],
    ['active eq true', [['active', true]]],
    ['active eq "False"', [['active', 'False']]],
    ['emails[type eq "work"].value eq "a@b.c"', [['emails.value', 'a@b.c']]],
    ['emails[type eq "work" and primary eq true].value eq "a@b.c"', [['emails.value', 'a@b.c']]],
    [
      ' id  eq "x"  and externalId eq "y" ',
      [
        ['id', 'x'],
        ['externalid', 'y'],
      ],
    ],
    [String.raw`displayName eq "say \"hi\" \\ \u00e4"`, [['displayname', 'say "hi" \\ ä']]],
    ['displayName eq "a and b or [c] eq (d)"', [['displayname', 'a and b or [c] eq (d)']]],
  ])('reads %s', (filter, terms) => {
    expect(parseFilter(filter).map(({ attribute, value }) => [attribute, value])).toEqual(terms);
  });

  it.each(['', ' ', 'a', 'a eq', 'a eq "', 'a eq b', 'a pr', 'a eq "b" and', 'a eq "b" or c eq "d"', '(a eq "b")'])(
    'refuses "%s"',
    (filter) => {
      expect(() => parseFilter(filter)).toThrow(ScimRefusal);
    },
  );

  it('reads back every comparison that is written', () => {
    const value = fc.oneof(text, fc.boolean());
    const term = fc.record({ attribute: fc.constantFrom(...ATTRIBUTES), value });
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 10 }), (terms) => {
        const filter = terms.map((each) => `${each.attribute} eq ${JSON.stringify(each.value)}`).join(' and ');
        const expected = terms.map((each) => ({ attribute: each.attribute.toLowerCase(), value: each.value }));
        expect(parseFilter(filter)).toEqual(expected);
      }),
    );
  });

  it('returns terms or refuses, and nothing else, for any text', () => {
    const pieces = fc.constantFrom(
      'userName',
      ' eq ',
      ' and ',
      ' or ',
      '"',
      '\\',
      '[',
      ']',
      '(',
      '.',
      'urn:',
      'true',
      '\0',
    );
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(pieces, text)).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(any, (filter) => {
        for (const read of [parseFilter, parsePath]) {
          try {
            read(filter);
          } catch (error) {
            expect(error).toBeInstanceOf(ScimRefusal);
            expect((error as ScimRefusal).status).toBe(400);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes time in proportion to the text, which is bounded', () => {
    const startedAt = performance.now();
    for (const piece of ['a[', '"\\', 'a eq "', ' ', 'urn:a:', 'a.', 'x'.repeat(50)])
      for (const read of [parseFilter, parsePath])
        expect(() => read(piece.repeat(500_000).slice(0, 1_000_000))).toThrow(ScimRefusal);
    for (const piece of ['a[', '"\\', 'a eq "', ' ', 'urn:a:', 'a.'])
      for (let n = 0; n < 100; n++)
        for (const read of [parseFilter, parsePath])
          try {
            read(piece.repeat(500).slice(0, 499));
          } catch (error) {
            expect(error).toBeInstanceOf(ScimRefusal);
          }
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

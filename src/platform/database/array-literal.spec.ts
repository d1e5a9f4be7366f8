import { arrayOfNumbers, arrayOfTexts, arrayOfTimes } from './array-literal.js';

describe('arrays for PostgreSQL', () => {
  it('contain numbers, times and words unquoted', () => {
    expect(arrayOfNumbers([1, -20n, null, 9_223_372_036_854_775_807n])).toBe('{1,-20,NULL,9223372036854775807}');
    expect(arrayOfTimes([new Date('2026-11-21T12:00:00.123Z'), null])).toBe('{2026-11-21T12:00:00.123Z,NULL}');
    expect(arrayOfTexts(['sandbox:exe_01', 'a-b.c'])).toBe('{sandbox:exe_01,a-b.c}');
  });

  it('quote everything else', () => {
    expect(arrayOfTexts([null, 'null', 'NULL', '', ' a', 'a b', 'a,b', '{}', '"', '\\', 'ü', '-', 'a\n'])).toBe(
      String.raw`{NULL,"null","NULL",""," a","a b","a,b","{}","\"","\\","ü","-","a` + '\n"}',
    );
    expect(arrayOfNumbers([])).toBe('{}');
  });
});

import fc from 'fast-check';
import { matchesGlob } from './model-glob.js';

/** Obviously right, and exponential. */
function matchesNaively(pattern: string, id: string): boolean {
  if (pattern === '') return id === '';
  if (pattern[0] === '*') {
    for (let skipped = 0; skipped <= id.length; skipped++)
      if (matchesNaively(pattern.slice(1), id.slice(skipped))) return true;
    return false;
  }
  return id !== '' && pattern[0] === id[0] && matchesNaively(pattern.slice(1), id.slice(1));
}

describe('patterns of models', () => {
  it.each([
    ['openai/*', 'openai/gpt-mini', true],
    ['openai/*', 'openai/', true],
    ['openai/*', 'my-openai/gpt-mini', false],
    ['*:free', 'meta/llama:free', true],
    ['*:free', 'meta/llama:free-trial', false],
    ['*', '', true],
    ['', 'openai/gpt-mini', false],
    ['openai/gpt-mini', 'openai/gpt-mini', true],
    ['openai/gpt.mini', 'openai/gpt-mini', false],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['*b*', 'abc', true],
    ['a*b*c', 'abcb', false],
  ])('%s covers %s: %s', (pattern, id, covers) => {
    expect(matchesGlob(pattern, id)).toBe(covers);
  });

  it('cover what a naive matcher says', () => {
    const texts = (alphabet: readonly string[], maxLength: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...alphabet), maxLength });
    fc.assert(
      fc.property(texts(['a', 'b', '*'], 8), texts(['a', 'b'], 10), (pattern, id) => {
        expect(matchesGlob(pattern, id)).toBe(matchesNaively(pattern, id));
      }),
      { numRuns: 5_000 },
    );
  });

  it('take no longer for hostile patterns', () => {
    const begun = performance.now();
    for (let times = 0; times < 1_000; times++) expect(matchesGlob('*a'.repeat(90), `${'a'.repeat(89)}b`)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

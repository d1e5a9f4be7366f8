import fc from 'fast-check';
import { secretMask } from './secret-mask.js';

/** Searches for each value separately, which is slow and simple. */
function naive(text: string, values: readonly string[]): string {
  const covered = Array.from(text, () => false);
  const begins = new Set<number>();
  const ends: { start: number; end: number }[] = [];
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
      ends.push({ start: at, end: at + value.length });
  }
  for (const { start, end } of ends) covered.fill(true, start, end);
  // Two values that only touch are masked separately.
  for (const { start } of ends) if (!ends.some((other) => other.start < start && other.end > start)) begins.add(start);
  return Array.from(text, (letter, at) => (begins.has(at) ? '[secret]' : covered[at] === true ? '' : letter)).join('');
}

describe('the mask over secrets', () => {
  it('hides every occurrence of a value and keeps the rest', async () => {
    const mask = await secretMask(['s3cr3t-value']);
    expect(mask('curl -H "x: s3cr3t-value" s3cr3t-values ü')).toBe('curl -H "x: [secret]" [secret]s ü');
  });

  it('hides a value that is encoded in Base64, in a URL or in JSON', async () => {
    const secret = 'p@ss "word"/ü?';
    const mask = await secretMask([secret]);
    for (const text of [
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      encodeURIComponent(secret),
      JSON.stringify({ secret }),
    ]) {
      expect(mask(`<${text}>`)).toContain('[secret]');
      expect(mask(`<${text}>`)).not.toContain(text);
    }
  });

  it('hides each line of a value with several lines', async () => {
    const mask = await secretMask(['-----BEGIN KEY-----\nabcdefgh\r\nijklmnop\n-----END KEY-----']);
    expect(['abcdefgh', 'ijklmnop', 'abc'].map(mask)).toEqual(['[secret]', '[secret]', 'abc']);
  });

  it('does not hide values of fewer than four characters', async () => {
    expect((await secretMask(['', 'a', '123']))('a123')).toBe('a123');
  });

  it('hides overlapping values completely', async () => {
    expect((await secretMask(['abcd', 'abcdefgh']))('abcdefgh abcd')).toBe('[secret] [secret]');
    expect((await secretMask(['abcdef', 'efghij']))('<abcdefghij>')).toBe('<[secret]>');
  });

  it('never shows a value of four characters or more, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 4, maxLength: 30 }),
        fc.string(),
        fc.string(),
        async (secret, before, after) => {
          // The letters of the mask and those next to it may spell the secret by chance, so its absence is not checked.
          expect((await secretMask([secret]))(`${before}${secret}${after}`)).toContain('[secret]');
        },
      ),
    );
  });

  it('hides the same values as a separate search for each of them', async () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 9 });
    const longer = fc.array(few, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(few, { maxLength: 6 }), fc.array(longer, { maxLength: 4 }), async (values, texts) => {
        const mask = await secretMask(values);
        // The naive search needs no Base64, because encoded values have other letters.
        for (const text of texts) expect(mask(text)).toBe(naive(text, values));
      }),
    );
  });

  it('hides values of more than 128 bytes, and long parts of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 129, maxLength: 900 }),
        fc.nat({ max: 900 }),
        async (value, length) => {
          const part = value.slice(0, Math.max(128, length));
          const mask = await secretMask([value, `${value.slice(0, 200)}!`]);
          expect(mask(`<${value}> <${part}>`)).toBe('<[secret]> <[secret]>');
        },
      ),
    );
  });

  it('hides 4,100 lines in time proportional to the text', async () => {
    const lines = Array.from({ length: 4_100 }, (_, index) => `line-${index}-${'x'.repeat(index % 40)}`);
    const alike = Array.from({ length: 2_000 }, (_, index) => `${'a'.repeat(400)}${index}`);
    const mask = await secretMask([lines.join('\n'), ...alike, `${'a'.repeat(60_000)}b`]);
    expect(mask(`before ${lines[4_000]!} after`)).toBe('before [secret] after');

    const timeOf = (text: string): number => {
      const start = performance.now();
      for (let round = 0; round < 20; round++) mask(text);
      return performance.now() - start;
    };
    timeOf('a'.repeat(1_000));
    // The comparison is relative, so that it also holds on a slow machine.
    expect(timeOf('a'.repeat(160_000))).toBeLessThan(200 * timeOf('a'.repeat(10_000)));
    expect(mask(`${'a'.repeat(160_000)}!`)).toMatch(/^(?:\[secret\])+!$/);
  });
});

import fc from 'fast-check';
import { secretMask } from './secret-mask.js';

/** Every place of every value, however slowly: what is found in many ways is hidden once. */
function naive(text: string, values: readonly string[]): string {
  const covered = Array.from(text, () => false);
  const begins = new Set<number>();
  const ends: { start: number; end: number }[] = [];
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
      ends.push({ start: at, end: at + value.length });
  }
  for (const { start, end } of ends) covered.fill(true, start, end);
  // Two that only touch stay two.
  for (const { start } of ends) if (!ends.some((other) => other.start < start && other.end > start)) begins.add(start);
  return Array.from(text, (letter, at) => (begins.has(at) ? '[secret]' : covered[at] === true ? '' : letter)).join('');
}

describe('the mask over secrets', () => {
  it('hides a value wherever it stands, and leaves the rest', async () => {
    const mask = await secretMask(['s3cr3t-value']);
    expect(mask('curl -H "x: s3cr3t-value" s3cr3t-values ü')).toBe('curl -H "x: [secret]" [secret]s ü');
  });

  it('hides it in Base64, in a URL and in JSON as well', async () => {
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

  it('hides each line of a value with several, as a log has it', async () => {
    const mask = await secretMask(['-----BEGIN KEY-----\nabcdefgh\r\nijklmnop\n-----END KEY-----']);
    expect(['abcdefgh', 'ijklmnop', 'abc'].map(mask)).toEqual(['[secret]', '[secret]', 'abc']);
  });

  it('lets values of fewer than four characters be, which are in too many words', async () => {
    expect((await secretMask(['', 'a', '123']))('a123')).toBe('a123');
  });

  it('hides values that overlap whole', async () => {
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
          // Beside the mask its own letters may stand so that they make the secret anew; those are no secret that was
          // there.
          expect((await secretMask([secret]))(`${before}${secret}${after}`)).toContain('[secret]');
        },
      ),
    );
  });

  it('hides what a search for each value, one after the other, finds', async () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 9 });
    const longer = fc.array(few, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(few, { maxLength: 6 }), fc.array(longer, { maxLength: 4 }), async (values, texts) => {
        const mask = await secretMask(values);
        // As they are in Base64 they have other letters.
        for (const text of texts) expect(mask(text)).toBe(naive(text, values));
      }),
    );
  });

  it('hides values of more than 128 bytes whole, and what occurs of them', async () => {
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

  it('takes 4,100 lines, and more, and time in proportion to the text', async () => {
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
    // A slow machine takes longer for both.
    expect(timeOf('a'.repeat(160_000))).toBeLessThan(200 * timeOf('a'.repeat(10_000)));
    expect(mask(`${'a'.repeat(160_000)}!`)).toMatch(/^(?:\[secret\])+!$/);
  });
});

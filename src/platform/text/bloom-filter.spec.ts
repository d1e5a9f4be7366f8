import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BloomFilter } from './bloom-filter.js';

const words = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('a Bloom filter', () => {
  it('holds all that was added, also when it was written and read', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 200 }), (texts) => {
        const filter = BloomFilter.empty(texts.length, 0.001);
        for (const text of texts) filter.add(text);
        const read = BloomFilter.of(filter.bytes);
        expect(texts.filter((text) => !filter.has(text) || !read.has(text))).toEqual([]);
      }),
    );
  });

  it('holds few others', () => {
    const filter = BloomFilter.empty(5_000, 0.01);
    for (const word of words(5_000, 'in')) filter.add(word);
    const wrong = words(20_000, 'out').filter((word) => filter.has(word)).length;
    expect(wrong).toBeGreaterThan(100);
    expect(wrong).toBeLessThan(300);
  });

  it('holds nothing at first', () => {
    expect(words(1_000, '').filter((word) => BloomFilter.empty(10, 0.01).has(word))).toEqual([]);
  });

  it('is written in the same way on every machine', () => {
    const filter = BloomFilter.empty(3, 0.0001);
    for (const word of ['one', 'two', 'three']) filter.add(word);
    expect(filter.bytes.subarray(0, 8).toString('hex')).toBe('400000000d000000');
    expect(createHash('sha256').update(filter.bytes).digest('hex').slice(0, 16)).toBe('6e257002c4990118');
  });

  it.each([Buffer.alloc(8), Buffer.from('a page of something else')])('is not read from other bytes', (bytes) => {
    expect(() => BloomFilter.of(bytes)).toThrow(RangeError);
  });
});

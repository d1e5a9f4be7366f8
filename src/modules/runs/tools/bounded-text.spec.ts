import { cutToJson, textOfPiece } from './bounded-text.js';

const lengthOf = (text: string): number => JSON.stringify(text).length - 2;

describe('cutToJson', () => {
  it.each(['plain', 'ä€😀', '"quoted"\n', '\u0001\u0002', ''])('keeps %j, which fits', (text) => {
    expect(cutToJson(text, lengthOf(text))).toEqual({ text, isCut: false });
  });

  it.each(['x', 'ä', '😀', '"', '\u0001', 'a😀"\u0001'])('cuts %j at the last character that fits', (part) => {
    const whole = part.repeat(1_000);
    for (const most of [0, 1, 5, 6, 7, 100, 999]) {
      const { text, isCut } = cutToJson(whole, most);
      expect(isCut).toBe(true);
      expect(whole.startsWith(text)).toBe(true);
      expect(text.isWellFormed()).toBe(true);
      expect(lengthOf(text)).toBeLessThanOrEqual(most);
      expect(lengthOf(text)).toBeGreaterThan(most - 8);
    }
  });

  it('keeps nothing when there is no room', () => {
    expect(cutToJson('x', -5)).toEqual({ text: '', isCut: true });
  });
});

describe('textOfPiece', () => {
  it.each([
    ['plain', 'x'.repeat(100_000)],
    ['wide', 'ä€😀'.repeat(9_000)],
    ['control', '\u0001'.repeat(50_000)],
  ])('gives pieces of %s text that together are the whole', (_, whole) => {
    const bytes = Buffer.from(whole);
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const piece: ReturnType<typeof textOfPiece> = textOfPiece(bytes.subarray(offset, offset + 32_768), {
        offset,
        sizeBytes: bytes.length,
      });
      expect(JSON.stringify(piece).length).toBeLessThan(65_536);
      text += piece!.text;
      offset = piece!.next_offset;
    }
    expect(text).toBe(whole);
  });

  it('gives none of what has a NUL', () => {
    expect(textOfPiece(Buffer.from('a\0b'), { offset: 0, sizeBytes: 3 })).toBeUndefined();
  });

  it('goes on behind bytes that are no UTF-8', () => {
    const bytes = Buffer.alloc(40_000, 0x80);
    const piece = textOfPiece(bytes.subarray(0, 32_768), { offset: 0, sizeBytes: bytes.length });
    expect(piece!.next_offset).toBe(32_768);
  });
});

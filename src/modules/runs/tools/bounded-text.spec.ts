import { textOfPiece } from './bounded-text.js';

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

import { cutToBytes, cutToJson } from './cut-text.js';

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

  it.each(['x', 'ä', '😀', '"', '\u0001'])('cuts %j by bytes when it is asked to', (part) => {
    const bytesOf = (json: string): number => Buffer.byteLength(json);
    const whole = part.repeat(1_000);
    const { text } = cutToJson(whole, 100, bytesOf);
    expect(bytesOf(JSON.stringify(text)) - 2).toBeLessThanOrEqual(100);
    expect(bytesOf(JSON.stringify(text + part)) - 2).toBeGreaterThan(100);
  });
});

describe('cutToBytes', () => {
  it.each([
    ['plain', 4, 'plai'],
    ['plain', 5, 'plain'],
    ['aä', 2, 'a'],
    ['€€', 5, '€'],
    ['😀', 3, ''],
    ['x', 0, ''],
  ])('cuts %j after %i bytes', (text, most, kept) => {
    expect(cutToBytes(text, most)).toEqual({ text: kept, isCut: kept !== text });
  });
});

import { KeptText, MAX_TEXT_BYTES } from './kept-text.js';

const kept = (...pieces: readonly string[]): KeptText => {
  const text = new KeptText();
  for (const piece of pieces) text.push(Buffer.from(piece));
  return text;
};

describe('a kept text', () => {
  it('is the whole text, however its characters are divided', () => {
    const text = new KeptText();
    for (const byte of Buffer.from('grüße €')) text.push(Buffer.from([byte]));
    expect([text.toString(), text.isTruncated]).toEqual(['grüße €', false]);
  });

  it('has at most 1 MiB, and says when there was more', () => {
    const most = 'a'.repeat(MAX_TEXT_BYTES);
    expect([kept(most).toString() === most, kept(most).isTruncated]).toEqual([true, false]);
    expect([kept(most, 'b').toString() === most, kept(most, 'b').isTruncated]).toEqual([true, true]);
  });

  it('ends with a whole character', () => {
    const text = kept('a'.repeat(MAX_TEXT_BYTES - 1), '€uro');
    expect(text.toString()).toBe('a'.repeat(MAX_TEXT_BYTES - 1));
    expect(text.isTruncated).toBe(true);
  });
});

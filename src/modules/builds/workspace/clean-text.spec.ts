import fc from 'fast-check';
import { cleanText } from './clean-text.js';

describe('a line of a log', () => {
  it.each([
    ['\u001b[32mgreen\u001b[0m', 'green'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['10 %\r50 %\r100 %', '100 %'],
    ['windows\r', 'windows'],
    ['a\tb', 'a\tb'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['bell\u0007 null\u0000 \u009b31mred', 'bell null red'],
    ['Grüße 👋 日本', 'Grüße 👋 日本'],
  ])('of %j shows %j', (line, shown) => {
    expect(cleanText(line)).toBe(shown);
  });

  it('never holds a control character, whatever was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        expect(cleanText(`\u001b[${line}\u001b`)).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

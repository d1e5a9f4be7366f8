import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { isSingleToken } from './single-token-characters.js';
import { estimateText } from './token-estimate.js';

const tokenizer = new Tiktoken(o200k);
const tokensOf = (text: string): number => tokenizer.encode(text, [], []).length;

/** The first character of each script and plane, in their order. */
const BLOCKS = [
  ...[0x20, 0xa0, 0x250, 0x370, 0x400, 0x530, 0x590, 0x600, 0x700, 0x900, 0x980, 0xa00, 0xb80, 0xe00, 0xf00, 0x1000],
  ...[0x1100, 0x1200, 0x13a0, 0x1680, 0x1b00, 0x1d00, 0x2000, 0x2c00, 0x3000, 0x3400, 0x4e00, 0xa000, 0xac00, 0xe000],
  ...[0xf900, 0x10000, 0x20000, 0x30000, 0x110000],
];

/** Random text of one script, with some spaces, and of all scripts. */
const scripts = BLOCKS.slice(0, -1)
  .map((from, index) => ({ min: from, max: BLOCKS[index + 1]! - 1 }))
  .filter(({ min }) => min !== 0xd800);
const character = (range: { min: number; max: number }): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 7,
      arbitrary: fc.integer(range).map((code) => (code >= 0xd800 && code < 0xe000 ? '한' : String.fromCodePoint(code))),
    },
    { weight: 1, arbitrary: fc.constant(' ') },
  );
const text = fc.oneof(
  ...scripts.map((range) => fc.string({ unit: character(range), minLength: 5, maxLength: 80 })),
  fc.string({ unit: 'binary', maxLength: 80 }),
);

describe('what calls of random text hold', () => {
  it('is at most 1 % less than what a tokenizer counts, over all scripts', () => {
    const samples = fc.sample(text, { numRuns: 2_000, seed: 1 });
    let [counted, lost] = [0, 0];
    for (const sample of samples) {
      const tokens = tokensOf(sample);
      counted += tokens;
      lost += Math.max(0, tokens - estimateText(sample));
    }
    expect(counted).toBeGreaterThan(40_000);
    expect(lost / counted).toBeLessThan(0.01);
  });

  it.each([
    ['English', 'The platform holds the budget before it calls a model, and charges what was used. ', 2],
    ['Chinese', '平台在调用模型之前先冻结预算,结束后按实际用量收费。', 2],
    ['Japanese', 'プラットフォームはモデルを呼び出す前に予算を確保し、終了後に使用量を請求します。', 2],
    ['Russian', 'Платформа удерживает бюджет перед вызовом модели и списывает использованное. ', 4.5],
    ['code', 'const x = [1, 2, 3].map((n) => n * 2);\nfunction add(a, b) { return a + b; } // sum\n', 2],
  ])('is not far above a tokenizer for %s', (_, sentence, most) => {
    const ratio = estimateText(sentence.repeat(10)) / tokensOf(sentence.repeat(10));
    expect(ratio).toBeGreaterThanOrEqual(1);
    expect(ratio).toBeLessThan(most);
  });
});

it('knows the characters that are one token', () => {
  const wrong: string[] = [];
  for (let code = 0x80; code < 0x10000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    if (isSingleToken(code) !== (tokensOf(character) === 1)) wrong.push(`U+${code.toString(16)}`);
  }
  expect(wrong).toEqual([]);
});

import fc from 'fast-check';
import { estimateInput, estimateText } from './token-estimate.js';

/** What the tokenizer o200k_base counts for these texts, each repeated that many times. */
const COUNTED: readonly (readonly [name: string, text: string, times: number, tokens: number])[] = [
  ['English', 'The platform holds the budget before it calls a model. ', 40, 440],
  ['spaces', ' ', 20_000, 160],
];

describe('estimateText', () => {
  it.each(COUNTED)('is at least the count of a tokenizer for %s', (_, text, times, tokens) => {
    expect(estimateText(text.repeat(times))).toBeGreaterThanOrEqual(tokens);
  });

  it('is not far above a tokenizer for English', () => {
    expect(estimateText(COUNTED[0]![1].repeat(40))).toBeLessThan(440 * 2.5);
  });

  it.each([
    ['digits', '0123456789', 10],
    ['base64', 'kJ8xQz2LpW0vRt7NbYcD', 10],
    ['Ethiopic', 'መድረኩ', 12],
    ['rare Han', '㐀㐁㐂', 9],
    ['emoji', '😀😃', 8],
    ['private use', '\u{e000}\u{e001}', 6],
    ['rare planes', '\u{10800}\u{1f000}', 8],
    ['control signs', '\u0001\u0002\u0003', 3],
  ])('counts %s dear', (_, text, least) => {
    expect(estimateText(text)).toBeGreaterThanOrEqual(least);
  });

  it('grows with the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(estimateText(`${one}.${other}`)).toBeGreaterThanOrEqual(
          Math.max(estimateText(one), estimateText(other)),
        );
      }),
    );
  });
});

describe('estimateInput', () => {
  const chat = (content: unknown, more: object = {}): Promise<number> =>
    estimateInput({ messages: [{ role: 'user', content }], ...more });

  it('counts an image by its number and not by its bytes', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } };
    const one = await chat([image]);
    expect(one).toBeGreaterThan(2_000);
    expect(one).toBeLessThan(2_200);
    expect(await chat([image, image])).toBeGreaterThan(4_000);
  });

  it('counts text that hides in an image', async () => {
    expect(await chat([{ type: 'image_url', image_url: { url: '' }, text: 'x'.repeat(9_000) }])).toBeGreaterThan(9_000);
  });

  it('counts tools and schemas', async () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { description: 'word '.repeat(500) } } }];
    expect((await chat('Hi', { tools })) - (await chat('Hi'))).toBeGreaterThan(500);
  });

  it('counts what is deep or long without failing', async () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 60; level++) deep = [deep];
    expect(await chat(deep)).toBeGreaterThan(60);
    expect(await chat(new Array(300_000).fill(''))).toBeGreaterThan(300_000);
  });

  it('lets other work run while it counts 8 MiB', async () => {
    let turns = 0;
    let counts = true;
    const tick = (): void => {
      turns++;
      if (counts) setImmediate(tick);
    };
    setImmediate(tick);
    await chat('word '.repeat(1_600_000));
    counts = false;
    expect(turns).toBeGreaterThan(30);
  });
});

import fc from 'fast-check';
import type { AnswerReader } from './answer-reader.js';
import { CHAT_FORM } from './forms/chat-form.js';
import { JsonAnswer } from './json-answer.js';
import { UsageFrame } from './usage-frame.js';

const frame = (fields: object): string => `data: ${JSON.stringify({ id: 'gen-1', model: 'm/one', ...fields })}\n\n`;
const word = (content: string): string => frame({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const FINISH = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 7,
  prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
};
const PURCHASE = { cost: 0.00123, cost_details: { upstream_inference_cost: 0.00123 }, is_byok: false };
const BILLED = frame({ choices: [], usage: { ...USAGE, ...PURCHASE } });
const DONE = 'data: [DONE]\n\n';
const TOKENS = { input: 50, cache_read: 30, cache_write: 20, output: 7 };

/** Sends the bytes in pieces that end at these places, and returns all that comes out. */
function through(reader: AnswerReader, text: string | Buffer, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(text);
  const places = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const out = places.slice(1).map((place, index) => reader.push(bytes.subarray(places[index], place)));
  return Buffer.concat([...out, reader.end('0.000000456')]).toString('latin1');
}

const cuts = fc.array(fc.nat(100_000), { maxLength: 40 });

describe('UsageFrame', () => {
  it('passes everything on but the usage, which the caller did not ask for', () => {
    const reader = new UsageFrame({ form: CHAT_FORM, showsUsage: false });
    const text = `: wait\n\n${word('Hello ')}${word('"usage"')}${FINISH}`;
    expect(through(reader, text + BILLED + DONE)).toBe(text + DONE);
    expect(reader.facts).toEqual({
      generationId: 'gen-1',
      model: 'm/one',
      finishReason: 'stop',
      tokens: TOKENS,
      countedOutput: 6,
      hasFailed: false,
      isComplete: true,
    });
  });

  it('shows the usage with the price of the caller in place of the purchase price', () => {
    const shown = frame({ choices: [], usage: { ...USAGE, cost: 4.56e-7 } });
    const text = word('Hi') + FINISH;
    expect(through(new UsageFrame({ form: CHAT_FORM, showsUsage: true }), text + BILLED + DONE)).toBe(
      text + shown + DONE,
    );
  });

  it('removes purchase prices from usage that stands in every event', () => {
    const each = { choices: [{ index: 0, delta: { content: 'a' } }], usage: { ...USAGE, ...PURCHASE } };
    const shown = through(new UsageFrame({ form: CHAT_FORM, showsUsage: true }), frame(each));
    expect(shown).toContain('"prompt_tokens":100');
    expect(shown).not.toContain('cost');
    expect(through(new UsageFrame({ form: CHAT_FORM, showsUsage: false }), frame(each))).not.toContain('usage');
  });

  it('keeps errors of the router to itself', () => {
    const reader = new UsageFrame({ form: CHAT_FORM, showsUsage: true });
    const error = frame({ error: { code: 502, message: 'Provider key sk-secret expired' } });
    expect(through(reader, word('Hi') + error + word('late'))).toBe(word('Hi'));
    expect(reader.facts).toMatchObject({ hasFailed: true, isComplete: false });
  });

  it('knows a stream that broke off', () => {
    const reader = new UsageFrame({ form: CHAT_FORM, showsUsage: false });
    expect(through(reader, word('Hi') + 'data: {"id"')).toBe(word('Hi') + 'data: {"id"');
    expect(reader.facts).toMatchObject({ isComplete: false, finishReason: undefined, tokens: undefined });
  });

  it.each(['\n', '\r\n', '\r'])('understands lines that end with %j', (end) => {
    const lines = (text: string): string => text.replaceAll('\n', end);
    const reader = new UsageFrame({ form: CHAT_FORM, showsUsage: false });
    const out = through(reader, lines(word('Hi') + FINISH + BILLED + DONE), [3, 50, 120]);
    expect(out).toBe(lines(word('Hi') + FINISH + DONE));
    expect(reader.facts.tokens).toEqual(TOKENS);
  });

  it('gives the same bytes and facts however they are split', () => {
    const text = `: x\r\n\r\n${word('Grüße 😀')}${FINISH}${BILLED}${DONE}`;
    fc.assert(
      fc.property(cuts, fc.boolean(), (places, showsUsage) => {
        const [whole, split] = [
          new UsageFrame({ form: CHAT_FORM, showsUsage }),
          new UsageFrame({ form: CHAT_FORM, showsUsage }),
        ];
        expect(through(split, text, places)).toBe(through(whole, text));
        expect(split.facts).toEqual(whole.facts);
      }),
    );
  });

  it('passes any bytes on that have no event of the kind, however they are split', () => {
    const sign = fc.constantFrom('\r', '\n', ':', '{', '}', '"', 'x', 'd', 'a', ' ', 't', '\u00ff');
    const bytes = fc.array(sign, { maxLength: 200 });
    fc.assert(
      fc.property(bytes, cuts, (signs, places) => {
        const sent = Buffer.from(signs.join(''), 'latin1');
        expect(through(new UsageFrame({ form: CHAT_FORM, showsUsage: true }), sent, places)).toBe(
          sent.toString('latin1'),
        );
      }),
    );
  });

  it('keeps little of a line that does not end', () => {
    const reader = new UsageFrame({ form: CHAT_FORM, showsUsage: true });
    const chunk = Buffer.alloc(1_048_576, 'x');
    let out = 0;
    for (let sent = 0; sent < 32; sent++) out += reader.push(chunk).length;
    expect(out).toBeGreaterThan(27 * 1_048_576);
    expect(out + reader.end(undefined).length).toBe(32 * 1_048_576);
  });
});

describe('JsonAnswer', () => {
  const ANSWER = {
    id: 'gen-1',
    model: 'm/one',
    choices: [{ message: { role: 'assistant', content: 'He said: "usage": {}' }, finish_reason: 'stop' }],
  };

  it('replaces only the usage', () => {
    const reader = new JsonAnswer(CHAT_FORM);
    const usage = JSON.stringify({ ...USAGE, ...PURCHASE });
    const sent = `{"big": 1.50000, ${JSON.stringify(ANSWER).slice(1, -1)}, "usage": ${usage} , "z":[1e5]}`;
    const shown = JSON.stringify({ ...USAGE, cost: 4.56e-7 });
    const head = sent.slice(0, sent.indexOf(', "usage": ') + ', "usage":'.length);
    expect(through(reader, sent, [1, 9, 60, 200])).toBe(`${head}${shown}, "z":[1e5]}`);
    expect(reader.facts).toMatchObject({
      generationId: 'gen-1',
      model: 'm/one',
      finishReason: 'stop',
      tokens: TOKENS,
      hasFailed: false,
    });
  });

  it('gives the same bytes and facts however they are split', () => {
    fc.assert(
      fc.property(fc.jsonValue(), cuts, (value, places) => {
        const sent = JSON.stringify({ value, ...ANSWER, usage: { ...USAGE, ...PURCHASE }, more: value });
        const [whole, split] = [new JsonAnswer(CHAT_FORM), new JsonAnswer(CHAT_FORM)];
        expect(through(split, sent, places)).toBe(through(whole, sent));
        expect(split.facts).toEqual(whole.facts);
        const { usage, ...others } = JSON.parse(
          Buffer.from(through(new JsonAnswer(CHAT_FORM), sent), 'latin1').toString(),
        );
        expect(others).toEqual(JSON.parse(JSON.stringify({ value, ...ANSWER, more: value })));
        expect(usage).toEqual({ ...USAGE, cost: 4.56e-7 });
      }),
    );
  });

  it('passes on what is no JSON', () => {
    fc.assert(
      fc.property(fc.string(), cuts, (text, places) => {
        expect(Buffer.from(through(new JsonAnswer(CHAT_FORM), text, places), 'latin1').toString()).toBe(
          Buffer.from(text).toString(),
        );
      }),
    );
  });
});

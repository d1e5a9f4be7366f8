import fc from 'fast-check';
import type { AnswerReader } from './answer-reader.js';
import type { AnswerForm } from './forms/answer-form.js';
import { CHAT_FORM } from './forms/chat-form.js';
import { MESSAGES_FORM } from './forms/messages-form.js';
import { RESPONSES_FORM } from './forms/responses-form.js';
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

/** Events with names, as two protocols have them. */
const named = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const COST = { cost: 4.56e-7 };

const RESPONSES = (() => {
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    output_tokens: 7,
  };
  const response = { id: 'gen-1', model: 'm/one', status: 'completed', output: [{ text: 'Grüße 😀' }] };
  const begin =
    named('response.created', { response: { ...response, status: 'in_progress', usage: null } }) +
    named('response.output_text.delta', { delta: 'Grüße 😀 "usage"' });
  const last = (counted: object, type = 'completed', more = {}): string =>
    named(`response.${type}`, { response: { ...response, ...more, usage: counted } });
  return {
    form: RESPONSES_FORM,
    begin,
    last: last({ ...usage, ...PURCHASE }),
    shown: last({ ...usage, ...COST }),
    plain: last(usage),
    end: '',
    failure: last({ ...usage, ...PURCHASE }, 'failed', { error: { code: 'server_error', message: 'sk-secret' } }),
    reason: 'completed',
    whole: { ...response, error: null },
    usage,
  };
})();

const MESSAGES = (() => {
  const input = { input_tokens: 50, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 };
  const usage = { ...input, output_tokens: 7 };
  const begin =
    named('message_start', { message: { id: 'gen-1', model: 'm/one', usage: { ...input, output_tokens: 1 } } }) +
    named('ping', {}) +
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Grüße 😀 "usage"' } });
  const last = (counted: object): string =>
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7, ...counted } });
  return {
    form: MESSAGES_FORM,
    begin,
    last: last(PURCHASE),
    shown: last(COST),
    plain: last({}),
    end: named('message_stop', {}),
    failure: named('error', { error: { type: 'overloaded_error', message: 'sk-secret' } }),
    reason: 'end_turn',
    whole: { id: 'gen-1', model: 'm/one', type: 'message', content: [{ text: 'Hi' }], stop_reason: 'end_turn' },
    usage,
  };
})();

describe.each([
  ['the Responses API', RESPONSES],
  ['the Messages API', MESSAGES],
])('events of %s', (_, { form, begin, last, shown, plain, end, failure, reason, whole, usage }) => {
  const frame = (): UsageFrame => new UsageFrame({ form, showsUsage: true });
  const latin = (text: string): string => Buffer.from(text).toString('latin1');

  it('have the price of the caller in place of the purchase price', () => {
    const reader = frame();
    expect(through(reader, begin + last + end)).toBe(latin(begin + shown + end));
    expect(reader.facts).toMatchObject({
      generationId: 'gen-1',
      model: 'm/one',
      finishReason: reason,
      tokens: TOKENS,
      hasFailed: false,
      isComplete: true,
    });
    expect(reader.facts.countedOutput).toBeGreaterThan(0);
  });

  it('are as they were where there is no price', () => {
    const reader = frame();
    const out = Buffer.concat([reader.push(Buffer.from(begin + plain + end)), reader.end(undefined)]).toString();
    expect(out).toBe(begin + plain + end);
    expect(reader.facts.tokens).toEqual(TOKENS);
  });

  it('pass until the usage, which waits for the price', () => {
    const reader = frame();
    expect(reader.push(Buffer.from(begin + last + end)).toString()).toBe(begin);
  });

  it('have no error of the router', () => {
    const reader = frame();
    expect(through(reader, begin + failure + end)).toBe(latin(begin));
    expect(reader.facts).toMatchObject({ hasFailed: true });
  });

  it('have no end when they broke off', () => {
    const reader = frame();
    expect(through(reader, begin)).toBe(latin(begin));
    expect(reader.facts).toMatchObject({ isComplete: false, finishReason: undefined, tokens: undefined });
  });

  it('give the same bytes and the same usage however they are split', () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(cuts, ends, fc.constantFrom(last, plain, failure), (places, lineEnd, finish) => {
        const text = (': x\n\n' + begin + finish + end).replaceAll('\n', lineEnd);
        const [one, split] = [frame(), frame()];
        expect(through(split, text, places)).toBe(through(one, text));
        expect(split.facts).toEqual(one.facts);
        if (finish !== failure) expect(split.facts.tokens).toEqual(TOKENS);
      }),
    );
  });

  it('give the same bytes and the same usage without a stream', () => {
    fc.assert(
      fc.property(fc.jsonValue(), cuts, (value, places) => {
        const sent = JSON.stringify({ value, ...whole, usage: { ...usage, ...PURCHASE }, more: value });
        const reader = new JsonAnswer(form);
        expect(through(reader, sent, places)).toBe(
          latin(JSON.stringify({ value, ...whole, usage: { ...usage, ...COST }, more: value })),
        );
        expect(reader.facts).toMatchObject({ tokens: TOKENS, finishReason: reason, hasFailed: false });
      }),
    );
  });
});

it('takes a response that failed, or an error in place of a message, for a failure', () => {
  const factsOf = (form: AnswerForm, body: object): object => {
    const reader = new JsonAnswer(form);
    reader.push(Buffer.from(JSON.stringify(body)));
    return reader.facts;
  };
  expect(factsOf(RESPONSES_FORM, { status: 'failed', error: { code: 'server_error' } })).toMatchObject({
    hasFailed: true,
  });
  expect(factsOf(MESSAGES_FORM, { type: 'error', error: { type: 'api_error' } })).toMatchObject({ hasFailed: true });
});

it('counts messages as their last events do, and keeps what those leave out', () => {
  const reader = new UsageFrame({ form: MESSAGES_FORM, showsUsage: true });
  const delta = (usage: object, reason: string | null): string =>
    named('message_delta', { delta: { stop_reason: reason }, usage });
  const text =
    MESSAGES.begin + delta({ output_tokens: 3, ...PURCHASE }, null) + delta({ output_tokens: 9, ...PURCHASE }, 'x');
  const out = through(reader, text + delta({ output_tokens: 12, input_tokens: 60, ...PURCHASE }, 'x') + MESSAGES.end);
  expect(out).not.toContain('upstream_inference_cost');
  expect(reader.facts.tokens).toEqual({ input: 60, cache_read: 30, cache_write: 20, output: 12 });
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

import fc from 'fast-check';
import { ChatAnswer } from './chat-answer.js';

const event = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;
const delta = (fields: object, finish: string | null = null): string =>
  event({ choices: [{ delta: fields, finish_reason: finish }] });

const STREAM = [
  ': comment\n\n',
  delta({ role: 'assistant', content: 'Hällo ' }),
  delta({ content: 'wörld €' }),
  delta({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'get', arguments: '{"a"' } }] }),
  delta({ tool_calls: [{ index: 1, id: 'call_b', function: { name: 'put', arguments: '' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
  delta({}, 'tool_calls'),
  event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } }),
  'data: [DONE]\n\n',
].join('');
const EXPECTED = {
  text: 'Hällo wörld €',
  finishReason: 'tool_calls',
  inputTokens: 12,
  outputTokens: 7,
  toolCalls: [
    { id: 'call_a', name: 'get', arguments: '{"a":1}' },
    { id: 'call_b', name: 'put', arguments: '' },
  ],
};

function read(bytes: Buffer, cuts: readonly number[], isStream = true): [ChatAnswer, string] {
  let live = '';
  const answer = new ChatAnswer(isStream, (text) => {
    live += text;
  });
  let from = 0;
  for (const cut of [...cuts].sort((one, other) => one - other)) {
    answer.push(bytes.subarray(from, cut));
    from = cut;
  }
  answer.push(bytes.subarray(from));
  answer.end();
  return [answer, live];
}

const factsOf = ({ text, finishReason, inputTokens, outputTokens, toolCalls }: ChatAnswer): object => ({
  text,
  finishReason,
  inputTokens,
  outputTokens,
  toolCalls,
});

describe('ChatAnswer', () => {
  it('collects a stream, wherever it is cut and whatever ends its lines', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length)), fc.boolean(), (cuts, isWindows) => {
        const bytes = Buffer.from(isWindows ? STREAM.replaceAll('\n', '\r\n') : STREAM);
        const [answer, live] = read(bytes, cuts);
        expect(factsOf(answer)).toEqual(EXPECTED);
        expect(live).toBe(EXPECTED.text);
      }),
    );
  });

  it('reads one JSON document', () => {
    const message = { content: 'Hi.', tool_calls: [{ id: 'x', function: { name: 'get', arguments: '{}' } }] };
    const usage = { prompt_tokens: 1, completion_tokens: 2 };
    const bytes = Buffer.from(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage }));
    const [answer] = read(bytes, [3, 9], false);
    expect(factsOf(answer)).toMatchObject({ text: 'Hi.', finishReason: 'stop', inputTokens: 1 });
    expect(answer.toolCalls).toEqual([{ id: 'x', name: 'get', arguments: '{}' }]);
  });

  it('is not confused by anything else, and stops at its limit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isStream) => {
        const [answer] = read(Buffer.from(bytes), [], isStream);
        expect(answer.toolCalls).toEqual([]);
      }),
    );
    const [answer] = read(Buffer.alloc(9 * 1_048_576, 'a'), [8 * 1_048_576]);
    expect(answer.isTooLong).toBe(true);
  });
});

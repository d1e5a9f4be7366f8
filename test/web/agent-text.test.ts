import fc from 'fast-check';
import { exactJson, inText, objectIn } from '../../web/src/agents/json-text.js';
import { folded, lineDiff } from '../../web/src/agents/line-diff.js';
import { answerIn, fieldsOf, questionOf } from '../../web/src/agents/question.js';

describe('the difference of two definitions', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });

  it('has both texts in it, whatever they are', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        const without = (kind: string): string[] => diff.filter((line) => line.kind !== kind).map(({ text }) => text);
        expect(without('added')).toEqual(before);
        expect(without('removed')).toEqual(after);
      }),
    );
  });

  it('keeps what both have in common', () => {
    expect(lineDiff(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      { kind: 'same', text: 'c' },
    ]);
  });

  it('leaves out what is far from a change, and never a change', () => {
    const long = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const shown = folded(lineDiff(long, long.with(10, 'other')));
    expect(shown.filter((line) => line === null)).toHaveLength(2);
    expect(shown.filter((line) => line !== null && line.kind !== 'same')).toHaveLength(2);
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const changes = (all: ReturnType<typeof folded>): unknown[] =>
          all.filter((line) => line !== null && line.kind !== 'same');
        expect(changes(folded(lineDiff(before, after)))).toEqual(changes(lineDiff(before, after)));
      }),
    );
  });
});

describe('the arguments that a person approves', () => {
  it('hide no character, and mean the same', () => {
    const hidden = { path: 'a\u202egpj.exe', note: 'x\u200by\ufeff\u2066z', line: 'one\ntwo' };
    expect(exactJson(hidden)).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
    expect(exactJson(hidden)).toContain('\\u202e');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(exactJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('must be an object, and the fault names the field', () => {
    expect(objectIn('{"a":1}', 'The arguments')).toEqual({ a: 1 });
    expect(() => objectIn('[1]', 'The arguments')).toThrow('The arguments must be a JSON object');
    expect(() => objectIn('{', 'The arguments')).toThrow('The arguments is not valid JSON');
    expect(inText(undefined)).toBe('');
  });
});

describe('the question of a run', () => {
  const ask = (given: Readonly<Record<string, unknown>>): { readonly arguments: typeof given } => ({
    arguments: given,
  });

  it('is answered by text without a schema', () => {
    const call = ask({ question: 'Which one?' });
    expect(questionOf(call)).toBe('Which one?');
    expect(answerIn(fieldsOf(call)!, { 'answer.': 'The first.' })).toBe('The first.');
  });

  it('has a field for each simple property of its schema, and answers with their types', () => {
    const call = ask({
      question: 'How?',
      schema: {
        type: 'object',
        properties: { size: { enum: ['s', 'm'] }, count: { type: 'integer' }, sure: { type: 'boolean' }, note: {} },
        required: ['size'],
      },
    });
    const fields = fieldsOf(call)!;
    expect(fields.map(({ name, choices, isRequired }) => [name, choices, isRequired])).toEqual([
      ['size', ['s', 'm'], true],
      ['count', undefined, false],
      ['sure', undefined, false],
      ['note', undefined, false],
    ]);
    const answer = answerIn(fields, {
      'answer.size': 'm',
      'answer.count': '3',
      'answer.sure': 'on',
      'answer.note': '',
    });
    expect(JSON.parse(JSON.stringify(answer))).toEqual({ size: 'm', count: 3, sure: true });
  });

  it('takes JSON where the schema is not simple', () => {
    expect(fieldsOf(ask({ schema: { type: 'array' } }))).toBeUndefined();
    expect(fieldsOf(ask({ schema: { type: 'object', properties: { a: { type: 'object' } } } }))).toBeUndefined();
    expect(fieldsOf(ask({ schema: { type: 'object', properties: { a: { enum: [1, 2] } } } }))).toBeUndefined();
  });
});

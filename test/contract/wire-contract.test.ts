import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../support/test-app.js';
import { breakingChanges, wireContractOf } from './wire-contract.js';

const CONTRACT = join(__dirname, 'wire-contract.txt');
const UPDATE = 'UPDATE_WIRE_CONTRACT=1 npm test -- --testPathPatterns contract/wire-contract';

describe('the wire contract', () => {
  const app = useApp();

  it('changes only on purpose: after a change of the API, update test/contract/wire-contract.txt', async () => {
    const now = wireContractOf((await app.fetch('/api/v1/openapi.json')).body);
    if (process.env['UPDATE_WIRE_CONTRACT'] === '1') writeFileSync(CONTRACT, `${now.join('\n')}\n`);
    const kept = readFileSync(CONTRACT, 'utf8').trimEnd().split('\n');
    const differences = [
      ...breakingChanges(kept, now).map((change) => `BREAKS CALLERS  ${change}`),
      ...kept.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
      ...now.filter((line) => !kept.includes(line)).map((line) => `+ ${line}`),
    ];
    if (differences.length > 0)
      throw new Error(`The API has changed. If that is meant: ${UPDATE}\n\n${differences.join('\n')}`);
    expect(now.length).toBeGreaterThan(1_000);
  });
});

const NAME = { type: 'string', maxLength: 100 };

/** A document with one endpoint, which takes and answers the given. */
function documentOf({ body, answer = {}, more = {} }: { body: object; answer?: object; more?: object }): object {
  const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
  const operation = {
    parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer' } }],
    requestBody: json({ $ref: '#/components/schemas/Body' }),
    responses: { 200: json(answer), 404: { ...json({ type: 'object' }), 'x-error-codes': ['project_not_found'] } },
    security: [{ api_key: [] }, { session: [] }],
    ...more,
  };
  return { paths: { '/projects': { post: operation } }, components: { schemas: { Body: body } } };
}

const changesOf = (before: object, after: object): string[] =>
  breakingChanges(wireContractOf(before), wireContractOf(after));

describe('breakingChanges', () => {
  const kind = { type: 'string', enum: ['a', 'b'] };
  const body = { type: 'object', properties: { name: NAME, kind } };
  const answer = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
  const before = documentOf({ body, answer });

  it('reports nothing when only names of schemas and wording differ', () => {
    const renamed = JSON.parse(
      JSON.stringify(before).replaceAll('/Body', '/Input').replace('"Body"', '"Input"'),
    ) as object;
    expect(changesOf(before, renamed)).toEqual([]);
    expect(changesOf(before, documentOf({ body: { ...body, description: 'Other words.' }, answer }))).toEqual([]);
  });

  it.each([
    ['a new optional field', { body: { ...body, properties: { ...body.properties, more: NAME } }, answer }],
    ['a larger limit', { body: { ...body, properties: { kind, name: { ...NAME, maxLength: 200 } } }, answer }],
    [
      'one more value',
      { body: { ...body, properties: { name: NAME, kind: { ...kind, enum: ['a', 'b', 'c'] } } }, answer },
    ],
    [
      'a field that may be null',
      { body: { ...body, properties: { kind, name: { ...NAME, nullable: true } } }, answer },
    ],
    [
      'a new field in the answer that may be null',
      { body, answer: { ...answer, properties: { ...answer.properties, at: { type: 'string', nullable: true } } } },
    ],
  ])('lets %s pass', (_what, after) => {
    expect(changesOf(before, documentOf(after))).toEqual([]);
  });

  it.each([
    ['a field that is gone', { body: { type: 'object', properties: { kind } }, answer }, 'takes body.name: string'],
    ['a field that became required', { body: { ...body, required: ['name'] }, answer }, 'asks body.name: required'],
    [
      'a new field that is required',
      { body: { ...body, required: ['more'], properties: { ...body.properties, more: NAME } }, answer },
      'asks body.more: required',
    ],
    [
      'a smaller limit',
      { body: { ...body, properties: { kind, name: { ...NAME, maxLength: 50 } } }, answer },
      'asks body.name: maxLength 50',
    ],
    [
      'a new limit',
      { body: { ...body, properties: { kind, name: { ...NAME, pattern: '^a' } } }, answer },
      'asks body.name: pattern ^a',
    ],
    [
      'a value that is refused now',
      { body: { ...body, properties: { name: NAME, kind: { ...kind, enum: ['a'] } } }, answer },
      'takes body.kind: "b"',
    ],
    [
      'another type',
      { body: { ...body, properties: { kind, name: { type: 'integer' } } }, answer },
      'takes body.name: string',
    ],
    ['a field that is missing from answers at times', { body, answer: { ...answer, required: [] } }, 'body.id: always'],
    [
      'an answer that may be null',
      { body, answer: { ...answer, properties: { id: { type: 'string', nullable: true } } } },
      'answers 200 body.id: may be null',
    ],
    [
      'a credential that is refused now',
      { body, answer, more: { security: [{ api_key: [] }] } },
      'credential: session',
    ],
    ['a scope that is asked for', { body, answer, more: { 'x-required-scope': 'a:read' } }, 'asks scope: a:read'],
    ['a status that is gone', { body, answer, more: { responses: {} } }, 'answers 404: project_not_found'],
    ['a parameter that is gone', { body, answer, more: { parameters: [] } }, 'takes query.limit: integer'],
  ])('names %s', (_what, after, line) => {
    expect(changesOf(before, documentOf(after))).toContainEqual(
      expect.stringMatching(new RegExp(`^.*${escape(line)}$`)),
    );
  });

  it('names an endpoint that is gone', () => {
    expect(changesOf(before, { paths: {} })).toContain('Removed: POST /projects');
  });
});

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

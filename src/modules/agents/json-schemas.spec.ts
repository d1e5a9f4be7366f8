import fc from 'fast-check';
import type { JsonSchema } from './json-schema.js';
import { JsonSchemas } from './json-schemas.js';

const schemas = new JsonSchemas();
const faults = (schema: object): string[] => schemas.faultsOf(schema as JsonSchema).map(({ path }) => path);
const messages = (schema: object, value: unknown): string[] =>
  schemas.validate(schema as JsonSchema, value).map(({ path, message }) => `${path} ${message}`);

const PERSON = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
    age: { type: ['integer', 'null'], minimum: 0 },
    mail: { type: 'string', format: 'email' },
    tags: { type: 'array', items: { $ref: '#/$defs/tag' }, uniqueItems: true, maxItems: 3 },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { tag: { enum: ['a', 'b', 'c'] } },
};

describe('schemas of tenants', () => {
  it('validate values, and name all faults of a small one', () => {
    expect(faults(PERSON)).toEqual([]);
    expect(messages(PERSON, { name: 'ada', age: null, mail: 'not checked', tags: ['a', 'b'] })).toEqual([]);
    expect(messages(PERSON, { name: 'A', age: -1, tags: ['a', 'a'], 'x/y': 1 }).sort()).toEqual([
      ' must NOT have additional properties: x/y',
      '.age must be >= 0',
      '.name must match pattern "^[a-z]+$"',
      '.tags must NOT have duplicate items (items ## 0 and 1 are identical)',
    ]);
    expect(messages(PERSON, 'text')).toEqual([' must be object']);
  });

  it('name the first fault of a large value', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    expect(
      messages(
        schema,
        Array.from({ length: 5_000 }, () => 1),
      ),
    ).toEqual(['[0] must be string']);
  });

  it.each([
    [{ $ref: 'https://example.org/schema' }, '.$ref'],
    [{ $ref: '#' }, '.$ref'],
    [{ $ref: '#/$defs/none' }, '.$ref'],
    [{ $ref: '#/$defs/__proto__' }, '.$ref'],
    [{ $id: 'x' }, '.$id'],
    [{ $dynamicRef: '#x' }, '.$dynamicRef'],
    [{ unevaluatedProperties: false }, '.unevaluatedProperties'],
    [{ uniqueItems: true, maxItems: 201 }, '.uniqueItems'],
    [{ pattern: '(?=a)' }, '.pattern'],
    [{ pattern: '(a)\\1' }, '.pattern'],
    [{ pattern: 'a'.repeat(201) }, '.pattern'],
    [{ patternProperties: { '(': true } }, '.patternProperties'],
    [{ properties: { a: { $defs: { b: true } } } }, '.properties.a.$defs'],
    [{ properties: { a: 5 } }, '.properties.a'],
    [{ items: [true] }, '.items'],
    [{ type: 'nothing' }, ''],
    [{ minimum: 'low' }, ''],
    [{ title: 'x'.repeat(33_000) }, ''],
    [{ $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' }, ''],
  ])('are refused when they are not sound or not bounded, case %#', (schema, path) => {
    expect(faults(schema)).toContain(path);
    expect(() => schemas.validate(schema as JsonSchema, 1)).toThrow();
  });

  it('are refused when their references multiply', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } };
    for (let level = 1; level <= 12; level++)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] };
    expect(faults({ $defs, $ref: '#/$defs/d4' })).toEqual([]);
    expect(faults({ $defs, $ref: '#/$defs/d12' })).toEqual(['']);
  });

  it('are refused when they nest too deeply, without overflowing', () => {
    let schema: object = {};
    for (let level = 0; level < 60; level++) schema = { items: schema };
    expect(faults(schema).length).toBeGreaterThan(0);
  });

  it('take linear time for any pattern', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(faults(schema)).toEqual([]);
    const begun = performance.now();
    expect(messages(schema, `${'a'.repeat(50_000)}b`)).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('never make the check of a schema fail, whatever JSON it is', () => {
    const keyword = fc.constantFrom('type', 'items', 'properties', '$ref', '$defs', 'allOf', 'pattern', 'x', 'enum');
    const json = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 1 }), tie('object'), fc.array(tie('any'))),
      object: fc.dictionary(keyword, tie('any')),
    })).object;
    fc.assert(
      fc.property(json, fc.jsonValue(), (schema, value) => {
        const found = schemas.faultsOf(schema);
        if (found.length === 0) expect(Array.isArray(schemas.validate(schema as JsonSchema, value))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

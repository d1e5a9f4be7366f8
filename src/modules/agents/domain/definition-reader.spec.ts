import fc from 'fast-check';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { AgentDefinition } from '../agent-definition.js';
import { AgentTools } from '../agent-tools.js';
import { JsonSchemas } from '../json-schemas.js';
import { type DefinitionInput, DefinitionReader } from './definition-reader.js';
import { definitionOf, isSameDefinition, storedOf, type StoredDefinition } from './stored-definition.js';
import { ToolUses } from './tool-uses.js';

const tools = new AgentTools();
for (const [name, scopes] of [
  ['deploy', ['deploys:write']],
  ['remember', []],
] as const)
  tools.register({ name, summary: 'A tool.', scopes, faultsOf: () => [], toolsOf: () => Promise.resolve([]) });
const reader = new DefinitionReader(new ToolUses(tools), new JsonSchemas());
const MINIMAL = { instructions: 'Be brief.', models: ['m'] };

const faultsOf = (read: () => AgentDefinition): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof RequestInvalid)) throw error;
    return (error.help.details as { path: string }[]).map(({ path }) => path);
  }
};
const created = (input: DefinitionInput = {}): AgentDefinition => reader.create({ ...MINIMAL, ...input });

const budget = fc.record(
  {
    cost: fc.integer({ min: 1, max: 1_000 }).map(String),
    steps: fc.integer({ min: 1, max: 1_000 }),
    active_seconds: fc.integer({ min: 10, max: 86_400 }),
    tool_calls: fc.integer({ min: 0, max: 10_000 }),
  },
  { requiredKeys: [] },
);
const input = fc.record(
  {
    models: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 5 }),
    budget,
    monthly_cost: fc.option(fc.integer({ min: 1, max: 1_000 }).map(String)),
    approval_expires_seconds: fc.integer({ min: 60, max: 2_592_000 }),
    tools: fc.subarray([{ name: 'deploy' }, { name: 'remember', approval: 'always', settings: { a: [1] } }]),
    memory: fc.constantFrom({ archive: true }, { blocks: [{ label: 'a', value: 'x' }], archive: true }),
    output_schema: fc.constantFrom(null, { type: 'object' }),
    max_output_tokens: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
  },
  { requiredKeys: [] },
);

describe('definitions of agents', () => {
  it('are the same after they were stored', () => {
    fc.assert(
      fc.property(input, (given) => {
        const definition = created(given);
        const stored = JSON.parse(JSON.stringify(storedOf(definition))) as StoredDefinition;
        expect(isSameDefinition(definitionOf(stored), definition)).toBe(true);
        expect(definitionOf(stored).budget).toEqual(definition.budget);
      }),
    );
  });

  it('keep what an update leaves out, and take what it names', () => {
    fc.assert(
      fc.property(input, input, (first, second) => {
        const before = created(first);
        expect(isSameDefinition(reader.update(before, {}), before)).toBe(true);
        const [updated, direct] = [reader.update(before, second), created({ ...first, ...second })];
        for (const name of ['models', 'tools', 'outputSchema', 'temperature', 'monthlyCostNano'] as const)
          expect(updated[name]).toEqual(direct[name]);
      }),
    );
  });

  it('are refused with faults, and never with another error, whatever JSON was sent', () => {
    const field = fc.constantFrom('tools', 'scopes', 'budget', 'memory', 'output_schema', 'models', 'temperature');
    const name = fc.constantFrom('name', 'settings', 'blocks', 'label', 'value', 'cost', 'steps', '__proto__', 'type');
    const json = fc.letrec((tie) => ({
      any: fc.oneof(
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(name, tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(field, json), (given) => {
        expect(faultsOf(() => created(given)).every((path) => typeof path === 'string')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('bring the scopes of their tools, and must contain them', () => {
    expect(created({ tools: [{ name: 'deploy' }] }).scopes).toEqual(['deploys:write']);
    expect(faultsOf(() => created({ tools: [{ name: 'deploy' }], scopes: [] }))).toEqual(['scopes']);
    const before = created({ scopes: ['projects:read'] });
    expect(reader.update(before, { tools: [{ name: 'deploy' }] }).scopes).toEqual(['projects:read', 'deploys:write']);
  });
});

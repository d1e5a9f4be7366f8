import { NANO_PER_USD } from '../../../platform/money/nano-dollars.js';
import { type Scope, SCOPES } from '../../auth/scopes.js';
import type { AgentDefinition, MemoryBlock, RunBudget } from '../agent-definition.js';
import type { BodyReader } from './body-reader.js';

const MAX_COST = { max: 1_000n * NANO_PER_USD, shown: '1000' };
const MAX_MONTHLY_COST = { max: 1_000_000n * NANO_PER_USD, shown: '1000000' };
const LABEL = /^[a-z][a-z0-9_-]{0,39}$/;
/** The form of the names in the catalog of models. Whether there is one is asked when a run calls it. */
const MODEL = /^[!-~]{1,180}$/;

const MAX_BLOCKS = 20;
/** All blocks are in the context of each step. */
export const MAX_BLOCK_BYTES = 16_384;

const BUDGET_FIELDS = ['cost', 'steps', 'active_seconds', 'tool_calls'] as const;

/** Reads the limits of a run. Absent ones stay as they are in `base`. */
export function readBudget(reader: BodyReader, value: unknown, base: RunBudget): RunBudget {
  const given = reader.object(value, 'budget', BUDGET_FIELDS) ?? {};
  const { cost, steps, active_seconds: seconds, tool_calls: calls } = given;
  const activeSeconds =
    seconds === undefined ? undefined : reader.integer(seconds, 'budget.active_seconds', { min: 10, max: 86_400 });
  return {
    costNano: (cost === undefined ? undefined : reader.usd(cost, 'budget.cost', MAX_COST)) ?? base.costNano,
    steps: (steps === undefined ? undefined : reader.integer(steps, 'budget.steps', STEPS)) ?? base.steps,
    activeMs: activeSeconds === undefined ? base.activeMs : activeSeconds * 1_000,
    toolCalls: (calls === undefined ? undefined : reader.integer(calls, 'budget.tool_calls', CALLS)) ?? base.toolCalls,
  };
}
const STEPS = { min: 1, max: 1_000 };
const CALLS = { min: 0, max: 10_000 };

export function readMonthlyCost(reader: BodyReader, value: unknown): bigint | null {
  return value === null ? null : (reader.usd(value, 'monthly_cost', MAX_MONTHLY_COST) ?? null);
}

export function readModels(reader: BodyReader, value: unknown): readonly string[] {
  const models = reader.list(value, 'models', { min: 1, max: 5 }) ?? [];
  const rule = ['is_model', 'must be the name of a model, as GET /api/v1/models lists them'] as const;
  const named = models.map((model, index) => reader.matching(model, `models[${index}]`, MODEL, rule));
  reader.unique(named, (index) => `models[${index}]`);
  return named.filter((model) => model !== undefined);
}

export function readScopes(reader: BodyReader, value: unknown): readonly Scope[] {
  const scopes = reader.list(value, 'scopes', { max: SCOPES.length }) ?? [];
  const known = scopes.map((scope, index) => reader.choice(scope, `scopes[${index}]`, SCOPES));
  return SCOPES.filter((scope) => known.includes(scope));
}

type Memory = AgentDefinition['memory'];

/** Reads the memory. Absent fields stay as they are in `base`. */
export function readMemory(reader: BodyReader, value: unknown, base: Memory): Memory {
  const { blocks, archive } = reader.object(value, 'memory', ['blocks', 'archive']) ?? {};
  return {
    blocks: blocks === undefined ? base.blocks : readBlocks(reader, blocks),
    archive: (archive === undefined ? undefined : reader.flag(archive, 'memory.archive')) ?? base.archive,
  };
}

function readBlocks(reader: BodyReader, value: unknown): readonly MemoryBlock[] {
  const given = reader.list(value, 'memory.blocks', { max: MAX_BLOCKS }) ?? [];
  const blocks = given.map((block, index) => readBlock(reader, block, `memory.blocks[${index}]`));
  reader.unique(
    blocks.map((block) => block?.label),
    (index) => `memory.blocks[${index}].label`,
  );
  const read = blocks.filter((block) => block !== undefined);
  const bytes = read.reduce((sum, block) => sum + Buffer.byteLength(block.value), 0);
  if (bytes > MAX_BLOCK_BYTES)
    reader.add('memory.blocks', 'max_bytes', `must be at most ${MAX_BLOCK_BYTES} bytes together`, {
      max: MAX_BLOCK_BYTES,
    });
  return read;
}

function readBlock(reader: BodyReader, given: unknown, path: string): MemoryBlock | undefined {
  const block = reader.object(given, path, ['label', 'description', 'value']);
  if (block === undefined) return undefined;
  const rule = ['is_label', 'must be 1 to 40 characters of a-z, 0-9, _ and -, a letter first'] as const;
  const label = reader.matching(block['label'], `${path}.label`, LABEL, rule);
  const description =
    block['description'] === undefined
      ? undefined
      : reader.text(block['description'], `${path}.description`, { maxBytes: 500 });
  const value = reader.text(block['value'] ?? '', `${path}.value`, { maxBytes: MAX_BLOCK_BYTES });
  if (label === undefined || value === undefined) return undefined;
  return { label, ...(description === undefined ? {} : { description }), value };
}

import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { SCOPES } from '../../auth/scopes.js';
import { APPROVAL_RULES, UNKNOWN_OUTCOME_RULES } from '../agent-definition.js';
import type { DefinitionInput } from '../domain/definition-reader.js';

/** The reader of definitions checks the value, so that all faults of a definition are reported together. */
const field = (options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(options), Allow());

const TOOL = {
  type: 'object' as const,
  required: ['name'],
  properties: {
    name: { type: 'string' as const, description: 'A kind of tools; GET /api/v1/agents/tools lists them.' },
    approval: { type: 'string' as const, enum: [...APPROVAL_RULES], default: 'auto' },
    unknown_outcome: { type: 'string' as const, enum: [...UNKNOWN_OUTCOME_RULES], default: 'ask' },
    settings: { type: 'object' as const, additionalProperties: true, description: 'What the kind of tools takes.' },
  },
};

const BUDGET = {
  type: 'object' as const,
  properties: {
    cost: { type: 'string' as const, description: 'USD for the run and all runs below it, up to 1000.', default: '1' },
    steps: { type: 'integer' as const, minimum: 1, maximum: 1_000, default: 50 },
    active_seconds: { type: 'integer' as const, minimum: 10, maximum: 86_400, default: 3_600 },
    tool_calls: { type: 'integer' as const, minimum: 0, maximum: 10_000, default: 200 },
  },
};

const MEMORY = {
  type: 'object' as const,
  properties: {
    blocks: {
      type: 'array' as const,
      maxItems: 20,
      description: 'Texts that are always in the context, 16 KiB together. `value` is what a new agent begins with.',
      items: {
        type: 'object' as const,
        required: ['label'],
        properties: {
          label: { type: 'string' as const, pattern: '^[a-z][a-z0-9_-]{0,39}$' },
          description: { type: 'string' as const },
          value: { type: 'string' as const },
        },
      },
    },
    archive: { type: 'boolean' as const, description: 'Whether it has an archive: see the tools remember and recall.' },
  },
};

/** The fields of a definition in a request. */
export abstract class DefinitionFields {
  @field({ type: String, example: 'Answer questions about the shop.', description: 'At most 64 KiB of UTF-8.' })
  readonly instructions?: unknown;

  @field({
    type: [String],
    minItems: 1,
    maxItems: 5,
    example: ['openai/gpt-mini'],
    description: 'The first model answers, and the others when it is unavailable.',
  })
  readonly models?: unknown;

  @field({ type: 'array', maxItems: 64, items: TOOL, example: [{ name: 'remember' }, { name: 'recall' }] })
  readonly tools?: unknown;

  @field({
    type: [String],
    enum: SCOPES,
    example: ['agents:read'],
    description: 'What a run may do at most; the caller who starts it may be allowed less. Default: what tools need.',
  })
  readonly scopes?: unknown;

  @field({ ...BUDGET, example: { cost: '0.5', steps: 20 }, description: 'Limits of one run.' })
  readonly budget?: unknown;

  @field({ type: String, nullable: true, example: '20', description: 'USD for all runs of a month. Null: no limit.' })
  readonly monthly_cost?: unknown;

  @field({ type: 'integer', minimum: 60, maximum: 2_592_000, default: 86_400, example: 3_600 })
  readonly approval_expires_seconds?: unknown;

  @field({ ...MEMORY, example: { blocks: [{ label: 'persona', value: 'Be brief.' }], archive: true } })
  readonly memory?: unknown;

  @field({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    description: 'JSON Schema (draft 2020-12) of the output, 32 KiB. Null: text.',
  })
  readonly output_schema?: unknown;

  @field({ type: 'integer', minimum: 1, maximum: 1_000_000, nullable: true, example: 4_096 })
  readonly max_output_tokens?: unknown;

  @field({ type: 'number', minimum: 0, maximum: 2, nullable: true, example: 0.2 })
  readonly temperature?: unknown;

  /** Without the fields that are absent. */
  get definition(): DefinitionInput {
    const given = FIELDS.filter((name) => this[name] !== undefined);
    return Object.fromEntries(given.map((name) => [name, this[name]]));
  }
}

const FIELDS = [
  'instructions',
  'models',
  'tools',
  'scopes',
  'budget',
  'monthly_cost',
  'approval_expires_seconds',
  'memory',
  'output_schema',
  'max_output_tokens',
  'temperature',
] as const satisfies readonly (keyof DefinitionInput)[];

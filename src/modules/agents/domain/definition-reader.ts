import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { NANO_PER_USD } from '../../../platform/money/nano-dollars.js';
import type { Scope } from '../../auth/scopes.js';
import type { AgentDefinition, ToolUse } from '../agent-definition.js';
import { JsonSchemas } from '../json-schemas.js';
import type { JsonSchema } from '../json-schema.js';
import { BodyReader } from './body-reader.js';
import { readBudget, readMemory, readModels, readMonthlyCost, readScopes } from './definition-parts.js';
import { ToolUses } from './tool-uses.js';

/** The fields of a definition as a caller sent them. An absent field is undefined. */
export interface DefinitionInput {
  readonly instructions?: unknown;
  readonly models?: unknown;
  readonly tools?: unknown;
  readonly scopes?: unknown;
  readonly budget?: unknown;
  readonly monthly_cost?: unknown;
  readonly approval_expires_seconds?: unknown;
  readonly memory?: unknown;
  readonly output_schema?: unknown;
  readonly max_output_tokens?: unknown;
  readonly temperature?: unknown;
}

const MAX_INSTRUCTIONS_BYTES = 65_536;
const APPROVAL_SECONDS = { min: 60, max: 2_592_000 };
const MEMORY_TOOLS = ['remember', 'recall'];

const NEW: AgentDefinition = {
  instructions: '',
  models: [],
  tools: [],
  scopes: [],
  budget: { costNano: NANO_PER_USD, steps: 50, activeMs: 3_600_000, toolCalls: 200 },
  monthlyCostNano: null,
  approvalExpiresMs: 86_400_000,
  memory: { blocks: [], archive: false },
  outputSchema: null,
  maxOutputTokens: null,
  temperature: null,
};

/** Reads definitions of agents from requests. */
@Injectable()
export class DefinitionReader {
  constructor(
    private readonly tools: ToolUses,
    private readonly schemas: JsonSchemas,
  ) {}

  /** @throws {RequestInvalid} `invalid_request`, with every fault. */
  create(input: DefinitionInput): AgentDefinition {
    return this.read({ ...input, instructions: input.instructions ?? '', models: input.models ?? [] }, NEW);
  }

  /** Absent fields stay as they are. @throws {RequestInvalid} `invalid_request`, with every fault. */
  update(base: AgentDefinition, input: DefinitionInput): AgentDefinition {
    return this.read(input, base);
  }

  private read(input: DefinitionInput, base: AgentDefinition): AgentDefinition {
    const reader = new BodyReader();
    const tools = input.tools === undefined ? base.tools : this.tools.read(reader, input.tools);
    const definition: AgentDefinition = {
      instructions:
        (input.instructions === undefined ? base.instructions : readInstructions(reader, input.instructions)) ?? '',
      models: input.models === undefined ? base.models : readModels(reader, input.models),
      tools,
      scopes: this.readScopes(reader, { input, base, tools }),
      budget: input.budget === undefined ? base.budget : readBudget(reader, input.budget, base.budget),
      monthlyCostNano:
        input.monthly_cost === undefined ? base.monthlyCostNano : readMonthlyCost(reader, input.monthly_cost),
      approvalExpiresMs: readExpiry(reader, input) ?? base.approvalExpiresMs,
      memory: this.readMemory(reader, { input, base, tools }),
      outputSchema: input.output_schema === undefined ? base.outputSchema : this.readSchema(reader, input),
      maxOutputTokens: readMaxOutput(reader, input, base),
      temperature: readTemperature(reader, input, base),
    };
    if (reader.faults.length > 0) throw new RequestInvalid(reader.faults);
    return definition;
  }

  /** Without scopes in the request, a change of tools brings the scopes that the tools need. */
  private readScopes(reader: BodyReader, { input, base, tools }: Parts): readonly Scope[] {
    const needed = this.tools.scopesOf(tools);
    if (input.scopes === undefined) {
      if (input.tools === undefined) return base.scopes;
      return readScopes(reader, [...new Set([...base.scopes, ...needed.keys()])]);
    }
    const scopes = readScopes(reader, input.scopes);
    for (const [scope, tool] of needed)
      if (!scopes.includes(scope))
        reader.add('scopes', 'needed_scope', `must contain ${scope}, which the tool ${tool} needs`, scope);
    return scopes;
  }

  private readMemory(reader: BodyReader, { input, base, tools }: Parts): AgentDefinition['memory'] {
    const usesArchive = tools.some(({ name }) => MEMORY_TOOLS.includes(name));
    const before = { ...base.memory, archive: base.memory.archive || usesArchive };
    if (input.memory === undefined) return before;
    const memory = readMemory(reader, input.memory, before);
    if (usesArchive && !memory.archive)
      reader.add('memory.archive', 'needed_archive', 'must be true for the tools remember and recall');
    return memory;
  }

  private readSchema(reader: BodyReader, { output_schema: given }: DefinitionInput): JsonSchema | null {
    if (given === null) return null;
    const schema = reader.object(given, 'output_schema');
    if (schema === undefined || reader.json(schema, 'output_schema', JsonSchemas.maxBytes) === undefined) return null;
    for (const { path, message } of this.schemas.faultsOf(schema))
      reader.add(`output_schema${path}`, 'is_json_schema', message);
    return schema;
  }
}

interface Parts {
  readonly input: DefinitionInput;
  readonly base: AgentDefinition;
  readonly tools: readonly ToolUse[];
}

const readInstructions = (reader: BodyReader, value: unknown): string | undefined =>
  reader.text(value, 'instructions', { min: 1, maxBytes: MAX_INSTRUCTIONS_BYTES });

function readExpiry(reader: BodyReader, { approval_expires_seconds: given }: DefinitionInput): number | undefined {
  if (given === undefined) return undefined;
  const seconds = reader.integer(given, 'approval_expires_seconds', APPROVAL_SECONDS);
  return seconds === undefined ? undefined : seconds * 1_000;
}

function readMaxOutput(
  reader: BodyReader,
  { max_output_tokens: given }: DefinitionInput,
  base: AgentDefinition,
): number | null {
  if (given === undefined) return base.maxOutputTokens;
  return given === null ? null : (reader.integer(given, 'max_output_tokens', { min: 1, max: 1_000_000 }) ?? null);
}

function readTemperature(
  reader: BodyReader,
  { temperature: given }: DefinitionInput,
  base: AgentDefinition,
): number | null {
  if (given === undefined) return base.temperature;
  return given === null ? null : (reader.number(given, 'temperature', { min: 0, max: 2 }) ?? null);
}

import { Injectable } from '@nestjs/common';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { AgentTool, AgentToolKind, CallingRun } from '../agent-tool.js';
import { AgentTools } from '../agent-tools.js';
import { AgentVersionsService } from '../agent-versions.service.js';
import type { JsonSchema } from '../json-schema.js';
import { MemoriesService, type MemoryWriter } from '../memories.service.js';
import { MAX_MEMORY_CHARACTERS, MAX_QUERY_CHARACTERS, MAX_TAGS } from '../memory/memory-bounds.js';

const RECALLED = 10;
const MAX_RECALLED = 50;

interface MemoryTool {
  readonly summary: string;
  readonly description: string;
  readonly effect: AgentTool['effect'];
  readonly inputSchema: JsonSchema;
  readonly call: AgentTool['call'];
}

/** Registers the tools with which agents use their memory. */
@Injectable()
export class MemoryTools {
  constructor(
    tools: AgentTools,
    private readonly memory: MemoriesService,
    private readonly versions: AgentVersionsService,
  ) {
    tools.register(kindOf('remember', this.remember));
    tools.register(kindOf('recall', this.recall));
    tools.register(kindOf('set_memory_block', this.setBlock));
  }

  private get remember(): MemoryTool {
    return {
      summary: 'Stores a text in the memory of the agent, where later runs find it.',
      description: 'Stores a text that later runs of this agent can recall. Write facts that stay useful.',
      effect: 'local',
      inputSchema: objectOf(
        {
          text: { type: 'string', minLength: 1, maxLength: MAX_MEMORY_CHARACTERS },
          tags: { type: 'array', maxItems: MAX_TAGS, items: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,39}$' } },
        },
        ['text'],
      ),
      call: async ({ run, input }) => {
        const { text, tags = [] } = input as { text: string; tags?: string[] };
        const memory = await this.memory.remember(writerOf(run), { text: storable(text), tags });
        return { kind: 'succeeded', output: { id: memory.id } };
      },
    };
  }

  private get recall(): MemoryTool {
    return {
      summary: 'Searches the memory of the agent.',
      description: 'Searches what this agent has remembered, in this run and in earlier ones. Best matches first.',
      effect: 'local',
      inputSchema: objectOf(
        {
          query: { type: 'string', minLength: 1, maxLength: MAX_QUERY_CHARACTERS },
          limit: { type: 'integer', minimum: 1, maximum: MAX_RECALLED, default: RECALLED },
        },
        ['query'],
      ),
      call: async ({ run, input }) => {
        const { query, limit = RECALLED } = input as { query: string; limit?: number };
        const memories = await this.memory.recall(run.agentId, query, limit);
        const output = memories.map(({ id, text, tags, createdAt }) => ({
          id,
          text,
          tags,
          at: createdAt.toISOString(),
        }));
        return { kind: 'succeeded', output, taints: memories.some(({ tainted }) => tainted) };
      },
    };
  }

  private get setBlock(): MemoryTool {
    return {
      summary: 'Replaces the text of a memory block of the agent.',
      description:
        'Replaces the text of a memory block, which every run of this agent sees. Give the version that you have ' +
        'read: the call fails with stale_version and the current version if another run has changed the block since.',
      effect: 'local',
      inputSchema: objectOf(
        {
          label: { type: 'string', maxLength: 40 },
          value: { type: 'string', maxLength: 16_384 },
          version: { type: 'integer', minimum: 1 },
        },
        ['label', 'value', 'version'],
      ),
      call: async ({ run, input }) => {
        const { label, value, version } = input as { label: string; value: string; version: number };
        const definition = await this.versions.find(run.agentId, run.agentVersion);
        if (definition === undefined) throw new Error(`Version ${run.agentVersion} of ${run.agentId} is missing.`);
        const change = { label, value: storable(value), version };
        const block = await this.memory.setBlock(definition, writerOf(run), change);
        return { kind: 'succeeded', output: { label, version: block.version } };
      },
    };
  }
}

const kindOf = (name: string, { summary, ...tool }: MemoryTool): AgentToolKind => ({
  name,
  summary,
  scopes: [],
  faultsOf: (settings, path) => Object.keys(settings).map((field) => unknownField(`${path}.settings.${field}`)),
  toolsOf: () => Promise.resolve([{ ...tool, name, scopes: [], taints: false, isOutward: false }]),
});

const unknownField = (path: string): FieldFault => ({
  path: path.slice(0, 200),
  in: 'body',
  code: 'unknown_field',
  message: `${path.slice(0, 200)} is not known: this tool takes no settings`,
});

const objectOf = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const writerOf = ({ id, orgId, agentId, isTainted }: CallingRun): MemoryWriter => ({
  orgId,
  agentId,
  runId: id,
  tainted: isTainted,
});

/** Models write any text; the database takes neither NUL nor half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');

import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { AgentNotFound, BlockVersionStale, AgentFull, MemoryBlockNotFound } from './agents.errors.js';
import { MEMORY_ID } from './agents.ids.js';
import type { AgentVersion } from './agent-definition.js';
import { MAX_BLOCK_BYTES } from './domain/definition-parts.js';
import { MAX_MEMORY_BYTES } from './memory/memory-bounds.js';
import { AgentsStore } from './persistence/agents.store.js';
import { MemoriesStore, type Memory } from './persistence/memories.store.js';
import { MemoryBlocksStore } from './persistence/memory-blocks.store.js';

export type { Memory };

/** A part of the memory that is always in the context of the model. */
export interface ShownBlock {
  readonly label: string;
  readonly description: string | undefined;
  readonly value: string;
  /** Begins with 1 and rises with each change. */
  readonly version: number;
  /** The run that wrote it last. Null for a person, or for the text of the definition. */
  readonly runId: string | null;
  /** True when the run had read text from outside of the service. A run that reads it is marked as well. */
  readonly tainted: boolean;
  /** Null while it is as in the definition. */
  readonly updatedAt: Date | null;
}

/** Who writes to the memory of an agent: one of its runs, or a person. */
export interface MemoryWriter {
  readonly orgId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly tainted: boolean;
}

const MAX_MEMORIES = 10_000;
const MAX_WORDS = 20;

/** The memory of agents, for their runs and for people. All runs of an agent share it. */
@Injectable()
export class MemoriesService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsStore,
    private readonly blocks: MemoryBlocksStore,
    private readonly memories: MemoriesStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Returns the blocks of a version with their current texts, in the order of its definition. */
  async blocksOf({ agentId, memory }: AgentVersion): Promise<readonly ShownBlock[]> {
    if (memory.blocks.length === 0) return [];
    const written = new Map((await this.blocks.list(agentId)).map((row) => [row.label, row]));
    return memory.blocks.map(({ label, description, value }) => {
      const begun = { value, version: 1, runId: null, tainted: false, updatedAt: null };
      return { ...begun, ...written.get(label), label, description };
    });
  }

  /**
   * Replaces the text of a block, if it still has this version.
   *
   * @throws {MemoryBlockNotFound} `memory_block_not_found`
   * @throws {BlockVersionStale} `stale_version`
   * @throws {AgentFull} `invalid_request`: the blocks would be too large together.
   */
  setBlock(
    definition: AgentVersion,
    writer: MemoryWriter,
    { label, value, version }: { readonly label: string; readonly value: string; readonly version: number },
  ): Promise<ShownBlock> {
    return this.database.transaction(async () => {
      await this.lock(writer);
      const blocks = await this.blocksOf(definition);
      const block = blocks.find((each) => each.label === label);
      const labels = blocks.map((each) => each.label);
      if (block === undefined) throw new MemoryBlockNotFound(label, labels);
      if (block.version !== version) throw new BlockVersionStale(label, block.version);
      requireFit(blocks.map((each) => (each === block ? value : each.value)));
      const { runId, tainted } = writer;
      const after = { ...block, value, version: version + 1, runId, tainted, updatedAt: this.clock.now() };
      await this.blocks.set(writer.agentId, after);
      return after;
    });
  }

  /** Adds a memory. @throws {AgentFull} `invalid_request`: the agent has as many memories as it can. */
  remember(writer: MemoryWriter, { text, tags }: Pick<Memory, 'text' | 'tags'>): Promise<Memory> {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_MEMORY_BYTES)
      throw new AgentFull('text', {
        code: 'max_bytes',
        message: `The text is ${bytes} bytes long, but the limit is ${MAX_MEMORY_BYTES}.`,
        expected: { max: MAX_MEMORY_BYTES },
      });
    return this.database.transaction(async () => {
      await this.lock(writer);
      if ((await this.memories.count(writer.agentId)) >= MAX_MEMORIES)
        throw new AgentFull('', {
          code: 'max_memories',
          message: `An agent can have ${MAX_MEMORIES} memories. Delete some that are no longer useful.`,
          expected: { max: MAX_MEMORIES },
        });
      const { agentId, runId, tainted } = writer;
      const at = this.clock.now();
      const id = this.ids.next(MEMORY_ID);
      const memory: Memory = { id, agentId, text, tags, runId, tainted, createdAt: at, updatedAt: at };
      await this.memories.insert(memory);
      return memory;
    });
  }

  /** Returns the memories that match a query best. */
  recall(agentId: string, query: string, limit: number): Promise<readonly Memory[]> {
    return this.memories.search(agentId, { words: wordsOf(query), limit });
  }

  /** Writers take turns, so that none passes a limit or overwrites what it has not read. */
  private async lock({ orgId, agentId }: MemoryWriter): Promise<void> {
    if ((await this.agents.lockById(orgId, agentId)) === undefined) throw new AgentNotFound();
  }
}

const wordsOf = (query: string): string[] => [
  ...new Set(
    query
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
      .map((word) => word.slice(0, 50))
      .slice(0, MAX_WORDS),
  ),
];

function requireFit(values: readonly string[]): void {
  const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes <= MAX_BLOCK_BYTES) return;
  throw new AgentFull('value', {
    code: 'max_bytes',
    message: `The blocks would be ${bytes} bytes together, but the limit is ${MAX_BLOCK_BYTES}.`,
    expected: { max: MAX_BLOCK_BYTES },
  });
}

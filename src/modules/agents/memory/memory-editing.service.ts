import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { AgentAccess } from '../access/agent-access.js';
import { MemoryNotFound } from '../agents.errors.js';
import type { Agent } from '../domain/agent.js';
import { type Memory, MemoriesService, type MemoryWriter, type ShownBlock } from '../memories.service.js';
import { MemoriesStore } from '../persistence/memories.store.js';
import { AgentVersioning } from '../registry/agent-versioning.js';

/** An agent with its blocks. Those that nobody has written since are as old as the agent. */
export interface BlocksOfAgent {
  readonly agent: Agent;
  readonly blocks: readonly ShownBlock[];
}

/** What people do with the memory of their agents. */
@Injectable()
export class MemoryEditingService {
  constructor(
    private readonly database: Database,
    private readonly access: AgentAccess,
    private readonly versioning: AgentVersioning,
    private readonly memory: MemoriesService,
    private readonly memories: MemoriesStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the blocks of the live version.
   *
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async blocks(call: Call, idOrSlug: string): Promise<BlocksOfAgent> {
    const agent = await this.access.get(call, idOrSlug, 'agents:read');
    return { agent, blocks: await this.memory.blocksOf(await this.versioning.liveOf(agent)) };
  }

  /** @throws as {@link blocks} and {@link MemoriesService.setBlock}. */
  setBlock(
    call: Call,
    idOrSlug: string,
    change: { readonly label: string; readonly value: string; readonly version: number },
  ): Promise<BlocksOfAgent> {
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      const block = await this.memory.setBlock(await this.versioning.liveOf(agent), writerOf(agent), change);
      await this.access.record(call, 'agent.block_changed', agent, { label: block.label, version: block.version });
      return { agent, blocks: [block] };
    });
  }

  /** Returns the newest memories first, or those that match a query best, on one page. @throws as {@link blocks}. */
  async list(
    call: Call,
    idOrSlug: string,
    { page, query }: { readonly page: PageRequest; readonly query: string | undefined },
  ): Promise<Page<Memory>> {
    const { id } = await this.access.get(call, idOrSlug, 'agents:read');
    if (query === undefined) return this.memories.list(id, page);
    return { items: await this.memory.recall(id, query, page.limit), next: undefined };
  }

  /** @throws as {@link blocks}. @throws {AgentFull} `invalid_request` */
  create(call: Call, idOrSlug: string, input: Pick<Memory, 'text' | 'tags'>): Promise<Memory> {
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      const memory = await this.memory.remember(writerOf(agent), input);
      await this.access.record(call, 'agent.memory_created', agent, { memory_id: memory.id });
      return memory;
    });
  }

  /** @throws {MemoryNotFound} `memory_not_found`, and as {@link blocks}. */
  async get(call: Call, idOrSlug: string, memoryId: string): Promise<Memory> {
    const agent = await this.access.get(call, idOrSlug, 'agents:read');
    return required(await this.memories.find(agent.id, memoryId));
  }

  /** The text is that of the person from then on, and no longer that of a run. @throws as {@link get}. */
  update(
    call: Call,
    idOrSlug: string,
    memoryId: string,
    change: Partial<Pick<Memory, 'text' | 'tags'>>,
  ): Promise<Memory> {
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      const before = required(await this.memories.find(agent.id, memoryId));
      const isRewritten = change.text !== undefined && change.text !== before.text;
      const by = isRewritten ? { runId: null, tainted: false } : {};
      const memory = { ...before, ...change, ...by, updatedAt: this.clock.now() };
      await this.memories.save(memory);
      await this.access.record(call, 'agent.memory_changed', agent, { memory_id: memory.id });
      return memory;
    });
  }

  /** @throws as {@link get}. */
  delete(call: Call, idOrSlug: string, memoryId: string): Promise<void> {
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      if (!(await this.memories.delete(agent.id, memoryId))) throw new MemoryNotFound();
      await this.access.record(call, 'agent.memory_deleted', agent, { memory_id: memoryId });
    });
  }
}

const writerOf = ({ id, orgId }: Agent): MemoryWriter => ({ orgId, agentId: id, runId: null, tainted: false });

function required(memory: Memory | undefined): Memory {
  if (memory === undefined) throw new MemoryNotFound();
  return memory;
}

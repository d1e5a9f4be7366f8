import type {
  Agent,
  AgentChange,
  AgentMemory,
  AgentRun,
  AgentRunRequest,
  AgentSecret,
  AgentToolKind,
  AgentVersion,
  MemoriesQuery,
  MemoryBlock,
  NewAgent,
} from './agent-types.js';
import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';

/** Agents and their versions. `agent` is an id or a slug. Reads need `agents:read`, and writes need `agents:write`. */
export interface Agents extends AgentCalls {
  readonly secrets: AgentSecrets;
  readonly memories: AgentMemories;
  readonly blocks: AgentBlocks;
}

interface AgentCalls {
  list(query?: ListQuery, options?: RequestOptions): Listing<Agent>;

  /**
   * Creates an agent with its version 1.
   *
   * @throws {ValidationError} `invalid_request`: `details` names each field that is wrong.
   * @throws {AuthorizationError} `plan_limit_reached`.
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  create(agent: NewAgent, options?: RequestOptions): Promise<Agent>;

  /** @throws {NotFoundError} `agent_not_found`. */
  get(agent: string, options?: RequestOptions): Promise<Agent>;

  /** Changes an agent. A field of the definition that differs creates a version, live unless `promote` is false. */
  update(agent: string, change: AgentChange, options?: RequestOptions): Promise<Agent>;

  /** Deletes an agent, and cancels its runs. */
  delete(agent: string, options?: RequestOptions): Promise<void>;

  /** Lists the versions, newest first. */
  versions(agent: string, query?: ListQuery, options?: RequestOptions): Listing<AgentVersion>;

  /** @throws {NotFoundError} `agent_version_not_found`. */
  version(agent: string, number: number, options?: RequestOptions): Promise<AgentVersion>;

  /** Makes a version live: new runs use it. */
  promote(agent: string, number: number, options?: RequestOptions): Promise<Agent>;

  /** Lists the kinds of tools that versions can use. */
  tools(options?: RequestOptions): Promise<readonly AgentToolKind[]>;

  /**
   * Starts a run and resolves once it is queued: see `runs.events` and `runs.wait`. Needs `agents:run`.
   *
   * @throws {ConflictError} `agent_paused`.
   */
  run(agent: string, run: AgentRunRequest, options?: RequestOptions): Promise<AgentRun>;
}

/** Secrets of an agent for the headers of its tools. Values are never returned, and no model sees them. */
export interface AgentSecrets {
  list(agent: string, query?: ListQuery, options?: RequestOptions): Listing<AgentSecret>;
  set(agent: string, name: string, secret: { readonly value: string }, options?: RequestOptions): Promise<AgentSecret>;
  delete(agent: string, name: string, options?: RequestOptions): Promise<void>;
}

/** What an agent remembers beyond its blocks. */
export interface AgentMemories {
  /** Lists the memories, newest first; with `query`, the best matches first. */
  list(agent: string, query?: MemoriesQuery, options?: RequestOptions): Listing<AgentMemory>;
  create(agent: string, memory: NewMemory, options?: RequestOptions): Promise<AgentMemory>;

  /** @throws {NotFoundError} `memory_not_found`. */
  get(agent: string, memoryId: string, options?: RequestOptions): Promise<AgentMemory>;
  update(agent: string, memoryId: string, change: Partial<NewMemory>, options?: RequestOptions): Promise<AgentMemory>;
  delete(agent: string, memoryId: string, options?: RequestOptions): Promise<void>;
}

export interface NewMemory {
  readonly text: string;
  readonly tags?: readonly string[];
}

/** Texts that the model always sees. */
export interface AgentBlocks {
  list(agent: string, options?: RequestOptions): Promise<readonly MemoryBlock[]>;

  /**
   * Replaces the text of a block, if it still has that version.
   *
   * @throws {ConflictError} `stale_version`: it was changed since.
   */
  set(
    agent: string,
    label: string,
    block: { readonly value: string; readonly version: number },
    options?: RequestOptions,
  ): Promise<MemoryBlock>;
}

export const agentsOf = (transport: Transport): Agents => ({
  ...methodsOf<AgentCalls>(transport, {
    list: 'list agents',
    create: 'post agents',
    get: 'get agents/:',
    update: 'patch agents/:',
    delete: 'delete agents/:',
    versions: 'list agents/:/versions',
    version: 'get agents/:/versions/:',
    promote: 'post agents/:/versions/:/promote -',
    tools: 'get agents/tools',
    run: 'post agents/:/runs',
  }),
  secrets: methodsOf<AgentSecrets>(transport, {
    list: 'list agents/:/secrets',
    set: 'put agents/:/secrets/:',
    delete: 'delete agents/:/secrets/:',
  }),
  memories: methodsOf<AgentMemories>(transport, {
    list: 'list agents/:/memories',
    create: 'post agents/:/memories',
    get: 'get agents/:/memories/:',
    update: 'patch agents/:/memories/:',
    delete: 'delete agents/:/memories/:',
  }),
  blocks: methodsOf<AgentBlocks>(transport, { list: 'get agents/:/blocks', set: 'put agents/:/blocks/:' }),
});

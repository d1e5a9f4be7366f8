import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { digestOf, type McpDefinition } from './mcp-definition.js';
import type { McpEndpoint } from './mcp-fetch.js';
import { McpServers, McpUnavailable } from './mcp-servers.js';

const MAX_CACHED_CHARACTERS = 16 * 1_048_576;
/** A server that does not answer is not asked again for this long. */
const RETRY_AFTER_MS = 30_000;
const TIMEOUT_MS = 20_000;

/**
 * The definitions of pinned tools, by digest. A digest stands for one definition for ever, so what was found once needs
 * no second look; whether a server still has it is checked with each call.
 */
@Injectable()
export class McpDefinitions {
  private readonly found = new LRUCache<string, McpDefinition>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (definition) => JSON.stringify(definition).length + 1,
  });
  private readonly asked = new LRUCache<string, true>({ max: 1_000, ttl: RETRY_AFTER_MS });

  constructor(private readonly servers: McpServers) {}

  /** Returns what is known of the digests. The server is asked if something is missing. */
  async of(
    digests: readonly string[],
    key: string,
    endpoint: () => Promise<McpEndpoint | undefined>,
  ): Promise<ReadonlyMap<string, McpDefinition>> {
    if (digests.some((digest) => !this.found.has(digest)) && !this.asked.has(key)) {
      this.asked.set(key, true);
      const server = await endpoint();
      if (server !== undefined) await this.ask(server);
    }
    return new Map(
      digests.flatMap((digest): [string, McpDefinition][] => {
        const definition = this.found.get(digest);
        return definition === undefined ? [] : [[digest, definition]];
      }),
    );
  }

  private async ask(endpoint: McpEndpoint): Promise<void> {
    try {
      await this.servers.open(endpoint, AbortSignal.timeout(TIMEOUT_MS), ({ definitions }) => {
        for (const definition of definitions) this.found.set(digestOf(definition), definition);
        return Promise.resolve();
      });
    } catch (error) {
      if (!(error instanceof McpUnavailable) && (error as Error).name !== 'TimeoutError') throw error;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { WorkGrant } from '../../auth/access-tokens.js';
import { WorkTokensService } from '../../oauth/work-tokens.service.js';
import { RunToolsSettings } from '../run-tools.settings.js';
import type { McpDefinition } from './mcp-definition.js';
import { ownFetch } from './own-fetch.js';
import { definitionOf, type ToolClient, WITHOUT_SCHEMAS } from './tool-client.js';

const PROTOCOL = '2026-07-28';
const TIMEOUT_MS = 90_000;
/** A release restarts the API within these. A call that is repeated has the same key, so that it happens once. */
const PAUSES_MS = [250, 1_000, 3_000];

/** The API could not be reached, or failed. */
export class OwnServerUnavailable extends Error {}

/** For whom the server is called, and what its address narrows. */
export interface OwnServerCaller {
  readonly grant: WorkGrant;
  /** The query of the address, such as `read_only=1`. */
  readonly narrowing: string;
}

/** A call of a tool. Its key makes the service do the same thing once. */
export interface OwnToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
}

/** What a tool answered. */
export interface OwnToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
  /** True when the text is the words of others. */
  readonly quotes: boolean;
}

/** The MCP server of this service, as clients with an access token reach it: the same door, rights and limits. */
@Injectable()
export class OwnServer {
  constructor(
    private readonly config: Config,
    private readonly settings: RunToolsSettings,
    private readonly tokens: WorkTokensService,
  ) {}

  /**
   * Lists the tools that the caller may use now. It costs one call of the organization.
   *
   * @throws {OwnServerUnavailable}
   */
  async list(caller: OwnServerCaller): Promise<readonly McpDefinition[]> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return this.use(caller, { signal }, async (client) => {
      const { tools } = await client.listTools(undefined, { signal });
      return tools.map(definitionOf);
    });
  }

  /** @throws {OwnServerUnavailable}: whether the tool ran is unknown. */
  async call(caller: OwnServerCaller, call: OwnToolCall): Promise<OwnToolResult> {
    const { name, input, signal } = call;
    return this.use(caller, call, async (client) => {
      const options = { signal, timeout: TIMEOUT_MS, maxTotalTimeout: TIMEOUT_MS };
      const result = await client.callTool({ name, arguments: { ...input } }, options);
      const texts = (result.content as readonly Content[]).map(textOf);
      return {
        isError: result.isError === true,
        text: texts.join('\n'),
        structured: result.structuredContent,
        quotes: result._meta?.['service/quotes'] === true,
      };
    });
  }

  private async use<T>(
    caller: OwnServerCaller,
    { idempotencyKey, signal }: Pick<OwnToolCall, 'signal'> & { readonly idempotencyKey?: string | undefined },
    work: (client: ToolClient) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.once(caller, idempotencyKey, work);
      } catch (error) {
        signal.throwIfAborted();
        if (await this.isAnswer(error)) throw error;
        const pauseMs = PAUSES_MS[attempt];
        if (pauseMs === undefined)
          throw new OwnServerUnavailable('The API of this service did not answer.', { cause: error });
        await sleep(pauseMs, undefined, { signal });
      }
    }
  }

  private async once<T>(
    { grant, narrowing }: OwnServerCaller,
    idempotencyKey: string | undefined,
    work: (client: ToolClient) => Promise<T>,
  ): Promise<T> {
    const sdk = await import('@modelcontextprotocol/client');
    const url = new URL(`${this.config.publicUrl}/mcp${narrowing === '' ? '' : `?${narrowing}`}`);
    const client = new sdk.Client({ name: 'service-agents', version: '1.0.0' }, WITHOUT_SCHEMAS);
    const transport = new sdk.StreamableHTTPClientTransport(url, {
      fetch: ownFetch(this.config.publicUrl, this.settings.apiUrl),
      requestInit: {
        headers: {
          authorization: `Bearer ${await this.tokens.sign(grant)}`,
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
      },
    });
    try {
      await client.connect(transport, { prior: { kind: 'modern', discover: OWN } });
      return await work(client);
    } finally {
      await client.close().catch(() => undefined);
    }
  }

  /** An error of the protocol is an answer, and asking again would bring the same one. */
  private async isAnswer(error: unknown): Promise<boolean> {
    const { ProtocolError } = await import('@modelcontextprotocol/client');
    return error instanceof ProtocolError;
  }
}

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
}

/** Models are given results of tools as text. */
const textOf = ({ type, text, mimeType = 'other bytes' }: Content): string =>
  text ?? `[${type === 'image' ? `An image (${mimeType})` : 'A file that is no text'}, which is not shown here.]`;

/** What the server would say of itself, so that it is not asked. */
const OWN = {
  resultType: 'complete' as const,
  supportedVersions: [PROTOCOL],
  capabilities: { tools: {} },
};

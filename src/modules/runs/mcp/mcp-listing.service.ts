import { Injectable } from '@nestjs/common';
import { publicTargetOf } from '../../../platform/egress/public-target.js';
import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { RunToolsSettings } from '../run-tools.settings.js';
import { McpServerFailed } from '../runs.errors.js';
import { isSettableHeader } from '../tools/secret-headers.js';
import { isHeaderText } from '../tools/setting-faults.js';
import { digestOf, type McpDefinition } from './mcp-definition.js';
import type { McpEndpoint } from './mcp-fetch.js';
import { McpServers, McpUnavailable } from './mcp-servers.js';

const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 2_000;
const TIMEOUT_MS = 30_000;

export interface ListedTool extends McpDefinition {
  readonly digest: string;
}

/** Shows a person what an MCP server offers, so that its tools can be pinned. */
@Injectable()
export class McpListingService {
  constructor(
    private readonly servers: McpServers,
    private readonly settings: RunToolsSettings,
  ) {}

  /**
   * Lists the tools of a server with their digests.
   *
   * @throws {RequestInvalid} `invalid_request`
   * @throws {McpServerFailed} `upstream_error`
   */
  async list(endpoint: McpEndpoint): Promise<readonly ListedTool[]> {
    const faults = this.faultsOf(endpoint);
    if (faults.length > 0) throw new RequestInvalid(faults);
    const late = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await this.servers.open(endpoint, late, ({ definitions }) =>
        Promise.resolve(definitions.map((definition) => ({ ...definition, digest: digestOf(definition) }))),
      );
    } catch (error) {
      if (error instanceof McpUnavailable) throw new McpServerFailed(error.message, error);
      if (late.aborted) throw new McpServerFailed('The MCP server did not answer in time.', error);
      throw error;
    }
  }

  private faultsOf({ url, headers }: McpEndpoint): FieldFault[] {
    const faults: FieldFault[] = [];
    const add = (path: string, code: string, message: string): void => {
      faults.push({ path, in: 'body', code, message });
    };
    if (publicTargetOf(url, { trusted: this.settings.trustedHosts }) === undefined)
      add('url', 'is_public_url', 'url must be an https URL with the name of a public host, without a port or a user.');
    const entries = Object.entries(headers);
    if (entries.length > MAX_HEADERS) add('headers', 'max_headers', `headers can have ${MAX_HEADERS} entries.`);
    for (const [name, value] of entries)
      if (
        !isSettableHeader(name) ||
        typeof value !== 'string' ||
        value.length > MAX_HEADER_LENGTH ||
        !isHeaderText(value)
      )
        add(`headers.${name.slice(0, 100)}`, 'is_header', 'headers must be texts of one line that can be set.');
    return faults.slice(0, MAX_HEADERS);
  }
}

import { Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { VERSION } from '../../../platform/version.js';
import type { McpSession } from './mcp-session.js';

/** What a caller may see is its own, and changes with its key. */
const OWN = { ttlMs: 0, cacheScope: 'private' } as const;
const HINTS = {
  'tools/list': OWN,
  'prompts/list': OWN,
  'resources/list': OWN,
  'resources/templates/list': OWN,
  'resources/read': OWN,
  'server/discover': OWN,
};

/* The package advises McpServer for most uses. That class compiles each schema for every request, and lists are made
   ahead here, which costs half. */
/* eslint-disable @typescript-eslint/no-deprecated */

/** The server of one request, to which the parts add their handlers. */
export type RequestServer = Server;

/** Makes a server with the capabilities of its parts. */
export function serverWith(parts: readonly Pick<ServerPart, 'capabilities'>[], instructions: string): RequestServer {
  const capabilities = Object.assign({}, ...parts.map((part) => part.capabilities)) as ServerCapabilities;
  return new Server({ name: 'service-platform', version: VERSION }, { capabilities, instructions, cacheHints: HINTS });
}

/* eslint-enable @typescript-eslint/no-deprecated */

/** Tools, resources or prompts: adds its handlers to the server of one request. */
export interface ServerPart {
  readonly capabilities: ServerCapabilities;
  install(server: RequestServer, session: McpSession): void;
}

import { Injectable } from '@nestjs/common';
import type { CompleteRequest } from '@modelcontextprotocol/server';
import { DocListing } from '../../docs/doc-listing.js';
import { type ArgumentKind, PROMPTS } from '../prompts/prompts.js';
import { RESOURCE_TEMPLATES, type ResourceVariable } from '../resources/resource-templates.js';
import type { McpSession } from './mcp-session.js';
import type { RequestServer, ServerPart } from './server-part.js';
import { ToolCalls } from './tool-calls.js';
import { ToolCatalog } from './tool-catalog.js';

/** More of them do not fit into one answer of the protocol. */
const MAX_VALUES = 100;

type Kind = ArgumentKind | ResourceVariable;

/** The lists that name values, the tool whose rights they have, and the fields of an item that are values. */
const LISTS: Readonly<Partial<Record<Kind, { path: string; tool: string; fields: readonly string[] }>>> = {
  project: { path: '/api/v1/projects', tool: 'list_projects', fields: ['slug', 'id'] },
  database: { path: '/api/v1/databases', tool: 'list_databases', fields: ['id'] },
};

/** Completes the values of prompts and of addresses of resources while a person types. */
@Injectable()
export class CompletionsPart implements ServerPart {
  readonly capabilities = { completions: {} };

  constructor(
    private readonly catalog: ToolCatalog,
    private readonly calls: ToolCalls,
    private readonly docs: DocListing,
  ) {}

  install(server: RequestServer, session: McpSession): void {
    server.setRequestHandler('completion/complete', async ({ params }, { mcpReq: { signal } }) => {
      const kind = kindOf(params);
      const known = kind === undefined ? [] : await this.valuesOf(kind, session, signal);
      const values = known.filter((value) => value.startsWith(params.argument.value));
      return { completion: { values: values.slice(0, MAX_VALUES), hasMore: values.length > MAX_VALUES } };
    });
  }

  private async valuesOf(kind: Kind, session: McpSession, signal: AbortSignal): Promise<string[]> {
    if (kind === 'page') return this.docs.addresses();
    if (kind === 'code') return this.docs.errorCodes();
    const list = LISTS[kind];
    if (list === undefined || this.catalog.find(session, list.tool) === undefined) return [];
    const { body } = await this.calls.look({ session, signal }, `${list.path}?limit=${MAX_VALUES}`);
    const items = Array.isArray(body['data']) ? (body['data'] as Record<string, string>[]) : [];
    return list.fields.flatMap((field) => items.map((item) => item[field]!));
  }
}

function kindOf({ ref, argument }: CompleteRequest['params']): Kind | undefined {
  return ref.type === 'ref/prompt'
    ? PROMPTS.find(({ name }) => name === ref.name)?.arguments.find(({ name }) => name === argument.name)?.kind
    : RESOURCE_TEMPLATES.find(({ uriTemplate }) => uriTemplate === ref.uri)?.variable;
}

import { Injectable } from '@nestjs/common';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ApiDescription } from '../../docs/api-description.js';
import { DocListing } from '../../docs/doc-listing.js';
import { findResource, READ_PAGE, RESOURCE_TEMPLATES, type ResourceTemplate } from '../resources/resource-templates.js';
import type { McpSession } from './mcp-session.js';
import { ProjectNarrowing } from './project-narrowing.js';
import type { RequestServer, ServerPart } from './server-part.js';
import { type CatalogEntry, ToolCatalog } from './tool-catalog.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';
import { compileTool } from './tool-schemas.js';

/** Lists what clients can attach to a conversation, and reads it with the rights of the tool that returns it. */
@Injectable()
export class ResourcesPart implements ServerPart {
  readonly capabilities = { resources: {} };
  private pages: CatalogEntry | undefined;

  constructor(
    private readonly catalog: ToolCatalog,
    private readonly calls: ToolCalls,
    private readonly narrowing: ProjectNarrowing,
    private readonly docs: DocListing,
    private readonly description: ApiDescription,
  ) {}

  install(server: RequestServer, session: McpSession): void {
    server.setRequestHandler('resources/list', () => ({
      resources: this.docs.listed().map(({ address, title, about }) => ({
        uri: `service://docs/${address}`,
        name: address,
        title,
        description: about,
        mimeType: 'text/markdown',
      })),
    }));
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: RESOURCE_TEMPLATES.filter((each) => this.entryOf(session, each) !== undefined).map(
        ({ name, title, description, uriTemplate, mimeType }) => ({ name, title, description, uriTemplate, mimeType }),
      ),
    }));
    server.setRequestHandler('resources/read', ({ params: { uri } }, { mcpReq: { signal } }) =>
      this.read(session, uri, signal),
    );
  }

  private async read(session: McpSession, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    const found = findResource(uri);
    const entry = found && this.entryOf(session, found.template);
    if (found === undefined || entry === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
    const { argument, mimeType } = found.template;
    const { content, isError } = await this.answer({ session, entry, given: { [argument]: found.value }, signal });
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (isError === true) throw refusalOf(uri, texts.join('\n'));
    return { contents: [{ uri, mimeType, text: texts.join('\n') }] };
  }

  private async answer(call: ToolCall): Promise<CallToolResult> {
    try {
      return await this.calls.call({ ...call, given: await this.narrowing.apply(call) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return this.calls.refusal(error, call.session);
    }
  }

  /** Undefined where the caller may not use the tool. */
  private entryOf(session: McpSession, { tool }: ResourceTemplate): CatalogEntry | undefined {
    if (tool !== READ_PAGE.name) return this.catalog.find(session, tool);
    return (this.pages ??= {
      ...compileTool(this.description.get(), READ_PAGE, { group: 'help' }),
      route: undefined,
    });
  }
}

/** A missing resource has a code of its own in the protocol. Other refusals carry the error of the API. */
function refusalOf(uri: string, text: string): ProtocolError {
  const { error } = JSON.parse(text) as { error: { status?: number; message: string; hint?: string } };
  if (error.status === 404) return new ResourceNotFoundError(uri);
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { error });
}

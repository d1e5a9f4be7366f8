import { Injectable, Optional } from '@nestjs/common';
import { AccessTokens, isWorkGrant } from '../../auth/access-tokens.js';
import type { McpSession } from './mcp-session.js';
import { ScopesNotGranted } from './mcp-refusals.js';
import { ToolCatalog } from './tool-catalog.js';

/**
 * Leads a client of OAuth that calls a tool beyond its grant to the person, who can allow more. Callers with a key and
 * runs of agents get the answer of a tool that does not exist: nobody is asked for more scopes of these.
 */
@Injectable()
export class StepUp {
  constructor(
    private readonly catalog: ToolCatalog,
    // A process that serves no OAuth issues no access tokens either.
    @Optional() private readonly tokens?: AccessTokens,
  ) {}

  /** @throws {ScopesNotGranted} `insufficient_scopes`, with all that the tool needs and the grant lacks. */
  require(session: McpSession, message: unknown): void {
    const { credential } = session.caller;
    if (typeof credential === 'string' || isWorkGrant(credential) || this.tokens === undefined) return;
    const name = toolIn(message);
    const missing = name === undefined ? [] : this.catalog.missingScopes(session, name);
    if (missing.length === 0) return;
    throw new ScopesNotGranted(missing, this.tokens.stepUpTo([...new Set([...credential.scopes, ...missing])]));
  }
}

function toolIn(message: unknown): string | undefined {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

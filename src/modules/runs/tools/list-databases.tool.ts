import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDatabasesService } from '../../databases/org-databases.service.js';
import { inputOf, SingleTool, succeeded } from './single-tool.js';

const PAGE = 100;

/** Lists the databases of the organization. */
@Injectable()
export class ListDatabasesTool extends SingleTool {
  readonly name = 'list_databases';
  readonly summary = 'Lists the databases of the organization.';
  readonly description =
    'Returns the databases of the organization, newest first, 100 at a time. `branch_of` is the database that a ' +
    'branch was copied from. Pass `next` as `after` to get more.';
  readonly inputSchema = inputOf({ after: { type: 'string', minLength: 1, maxLength: 100 } }, ['after']);
  readonly effect = 'read';
  override readonly scopes: readonly Scope[] = ['databases:read'];

  constructor(
    tools: AgentTools,
    private readonly databases: OrgDatabasesService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller }: ToolCall): Promise<ToolOutcome> {
    const { after } = input as { after?: string };
    const { items, next } = await this.databases.list(caller, { limit: PAGE, after });
    const databases = items.map(({ id, name, parentId, isInProduction, state, isReadOnly, sizeBytes }) => ({
      id,
      name,
      ...(parentId === null ? {} : { branch_of: parentId }),
      in_production: isInProduction,
      state,
      read_only: isReadOnly,
      size_bytes: sizeBytes,
    }));
    return succeeded({ databases, ...(next === undefined ? {} : { next }) });
  }
}

import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { inputOf, SingleTool, succeeded } from './single-tool.js';

const PAGE = 100;

/** Lists the projects of the organization. */
@Injectable()
export class ListProjectsTool extends SingleTool {
  readonly name = 'list_projects';
  readonly summary = 'Lists the projects of the organization.';
  readonly description =
    'Returns the projects of the organization, newest first, 100 at a time. Pass `next` as `after` to get more.';
  readonly inputSchema = inputOf({ after: { type: 'string', minLength: 1, maxLength: 100 } }, ['after']);
  readonly effect = 'read';
  override readonly scopes: readonly Scope[] = ['projects:read'];

  constructor(
    tools: AgentTools,
    private readonly projects: ProjectsService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller }: ToolCall): Promise<ToolOutcome> {
    const { after } = input as { after?: string };
    caller.principal.require('projects:read', caller.org.id);
    const { items, next } = await this.projects.list(caller, { limit: PAGE, after });
    const projects = items.map(({ id, slug, name, repoUrl, productionBranch, createdAt }) => ({
      id,
      slug,
      name,
      ...(repoUrl === null ? {} : { repo_url: repoUrl }),
      production_branch: productionBranch,
      created_at: createdAt.toISOString(),
    }));
    return succeeded({ projects, ...(next === undefined ? {} : { next }) });
  }
}

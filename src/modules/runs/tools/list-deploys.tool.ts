import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDeploysService } from '../../deploys/org-deploys.service.js';
import { deployView } from './deploy-view.js';
import { inputOf, SingleTool, succeeded } from './single-tool.js';

const DEFAULT_LIMIT = 20;

/** Lists the newest deploys of a project. */
@Injectable()
export class ListDeploysTool extends SingleTool {
  readonly name = 'list_deploys';
  readonly summary = 'Lists the newest deploys of a project.';
  readonly description = 'Returns the newest deploys of a project with their states, newest first.';
  readonly inputSchema = inputOf(
    {
      project: { type: 'string', minLength: 1, maxLength: 100, description: 'The id or the slug of a project.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: `The default is ${DEFAULT_LIMIT}.` },
    },
    ['limit'],
  );
  readonly effect = 'read';
  override readonly scopes: readonly Scope[] = ['deploys:read'];

  constructor(
    tools: AgentTools,
    private readonly deploys: OrgDeploysService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller }: ToolCall): Promise<ToolOutcome> {
    const { project, limit = DEFAULT_LIMIT } = input as { project: string; limit?: number };
    return succeeded({ deploys: (await this.deploys.newest(caller, project, limit)).map(deployView) });
  }
}

import { Injectable } from '@nestjs/common';
import { isBranchName } from '../../../platform/git/branch-name.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDeploysService } from '../../deploys/org-deploys.service.js';
import { deployView } from './deploy-view.js';
import { failed, inputOf, SingleTool, succeeded } from './single-tool.js';

interface Input {
  readonly project: string;
  readonly branch?: string;
  readonly type?: 'preview' | 'production';
}

/** Queues deploys. The deploy commits with the result of the call. */
@Injectable()
export class DeployProjectTool extends SingleTool {
  readonly name = 'deploy_project';
  readonly summary = 'Deploys a branch of a project. Production needs approval.';
  readonly description =
    'Queues a deploy of a branch of a project and returns it. It is built afterwards: read its state and its log ' +
    'with deploy_logs. A deploy of the type production replaces what visitors see, and a person has to approve it.';
  readonly inputSchema = inputOf(
    {
      project: { type: 'string', minLength: 1, maxLength: 100, description: 'The id or the slug of a project.' },
      branch: { type: 'string', minLength: 1, maxLength: 255, description: 'The default is the production branch.' },
      type: { type: 'string', enum: ['preview', 'production'], description: 'The default is preview.' },
    },
    ['branch', 'type'],
  );
  readonly effect = 'local';
  /** A production deploy needs `deploys:production` as well, which the deploy itself asks for. */
  override readonly scopes: readonly Scope[] = ['deploys:write'];

  constructor(
    tools: AgentTools,
    private readonly deploys: OrgDeploysService,
  ) {
    super();
    tools.register(this);
  }

  protected override needsApproval(input: Readonly<Record<string, unknown>>): boolean {
    return input['type'] === 'production';
  }

  protected async call({ input, caller }: ToolCall): Promise<ToolOutcome> {
    const { project, branch, type = 'preview' } = input as unknown as Input;
    if (branch !== undefined && !isBranchName(branch))
      return failed('branch_invalid', 'branch must be a valid git branch name.');
    return succeeded(deployView(await this.deploys.request(caller, project, { branch, type })));
  }
}

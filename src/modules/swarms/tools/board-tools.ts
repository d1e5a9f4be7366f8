import { Injectable } from '@nestjs/common';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { ToolUse } from '../../agents/agent-definition.js';
import type { AgentTool, AgentToolKind } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import { CoordinatorTools } from './coordinator-tools.js';
import { LOCAL } from './tool-inputs.js';
import { WorkerTools } from './worker-tools.js';

const ROLES = ['coordinator', 'worker'];

/** The kind of tools with which agents use the board of their swarm. */
@Injectable()
export class BoardTools implements AgentToolKind {
  readonly name = 'board';
  readonly summary = 'Adds, claims and completes tasks on the board of a swarm.';
  readonly scopes = ['agents:run'] as const;

  constructor(
    tools: AgentTools,
    private readonly coordinator: CoordinatorTools,
    private readonly worker: WorkerTools,
  ) {
    tools.register(this);
  }

  faultsOf(settings: Readonly<Record<string, unknown>>, path: string): readonly FieldFault[] {
    const { role, ...unknown } = settings;
    const fault = (field: string, code: string, message: string): FieldFault => ({
      ...{ path: `${path}.settings.${field}`.slice(0, 200), in: 'body', code, message },
    });
    return [
      ...(role === undefined || ROLES.includes(role as string)
        ? []
        : [fault('role', 'is_in', 'role must be coordinator or worker; without it the agent can be both.')]),
      ...Object.keys(unknown).map((field) =>
        fault(field, 'unknown_field', 'The setting is not known: board has role.'),
      ),
    ];
  }

  toolsOf({ settings: { role } }: ToolUse): Promise<readonly AgentTool[]> {
    const tools = [
      ...this.worker.shared,
      ...(role === 'worker' ? [] : this.coordinator.tools),
      ...(role === 'coordinator' ? [] : this.worker.tools),
    ];
    const { scopes } = this;
    return Promise.resolve(tools.map((tool) => ({ ...tool, effect: LOCAL, scopes, taints: false, isOutward: false })));
  }
}

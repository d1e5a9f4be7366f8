import type { ToolUse } from '../../agents/agent-definition.js';
import type { AgentTool } from '../../agents/agent-tool.js';
import type { ApprovalReason } from './approval.js';

interface Judged {
  readonly tool: AgentTool;
  readonly use: Pick<ToolUse, 'approval'>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly isTainted: boolean;
}

/** Returns why a call needs the approval of a person, or null when it needs none. */
export function approvalReasonOf({ tool, use, input, isTainted }: Judged): ApprovalReason | null {
  if (use.approval === 'never') return null;
  if (use.approval === 'always') return 'rule';
  if (tool.needsApproval?.(input) === true) return 'tool';
  return isTainted && (tool.effect === 'once' || tool.isOutward) ? 'tainted' : null;
}

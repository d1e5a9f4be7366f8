import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { ApprovalRequests } from '../approvals/approval-requests.js';
import { approvalReasonOf } from '../domain/approval-policy.js';
import { approvalDigestOf } from '../domain/digests.js';
import { RunLost } from '../domain/run-lost.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { CallProposals } from './call-proposals.js';
import { CallRecorder } from './call-recorder.js';
import type { ActiveRun, UsableTool } from './held-run.js';

/** Asks again, right before a call, whether it may be made: by scopes, by approval, and by what was approved. */
@Injectable()
export class ToolCallAdmission {
  constructor(
    private readonly database: Database,
    private readonly writes: RunWritesStore,
    private readonly calls: RunToolCallsStore,
    private readonly approvals: ApprovalsStore,
    private readonly requests: ApprovalRequests,
    private readonly proposals: CallProposals,
    private readonly recorder: CallRecorder,
  ) {}

  /** Returns the tool when the call may be made now. Otherwise the call has failed, or waits for approval. */
  async admit(active: ActiveRun, call: RunToolCall, caller: Call): Promise<UsableTool | undefined> {
    const fault = this.proposals.faultOf(active, call.tool, call.arguments) ?? missingScopeOf(active, call, caller);
    if (fault !== undefined) {
      await this.recorder.ended(active, call, { state: 'failed', error: fault });
      return undefined;
    }
    const usable = active.tools.get(call.tool)!;
    // A call that had begun was admitted before, and its approval is used.
    if (call.state === 'executing') return usable;
    return (await this.isApproved(active, call, usable)) ? usable : undefined;
  }

  /** Uses the approval of exactly this call; asks for one when the run has read untrusted text since. */
  private async isApproved(active: ActiveRun, call: RunToolCall, { tool, use }: UsableTool): Promise<boolean> {
    const { version, isTainted } = active;
    const input = call.arguments;
    const approval = await this.approvals.findOfCall(call.id);
    if (approval === undefined) {
      if (approvalReasonOf({ tool, use, input, isTainted }) === null) return true;
      await this.waitForApproval(active, call);
      return false;
    }
    if (approval.state === 'used') return true;
    if (await this.approvals.use(call.id, approvalDigestOf({ tool, input, version }))) return true;
    await this.approvals.voidAll({ callId: call.id });
    const error = { code: 'approval_void', message: 'What was approved is not what would run.' };
    await this.recorder.ended(active, call, { state: 'failed', error });
    return false;
  }

  private async waitForApproval(active: ActiveRun, call: RunToolCall): Promise<void> {
    const changed = await this.database.transaction(async () => {
      await this.writes.write(active.run, {}, []);
      const waiting = await this.calls.change(call.id, ['authorised'], { state: 'awaiting_approval' });
      if (waiting === undefined) throw new RunLost();
      await this.requests.ask(active, waiting);
      return waiting;
    });
    active.changed(changed);
  }
}

function missingScopeOf(
  { tools, run }: ActiveRun,
  call: RunToolCall,
  { principal }: Call,
): { code: string; message: string } | undefined {
  const rights = principal.rightsIn(run.orgId);
  const missing = tools.get(call.tool)!.tool.scopes.filter((scope) => !rights.has(scope));
  if (missing.length === 0) return undefined;
  return {
    code: 'insufficient_scopes',
    message: `The run may not use ${call.tool}: ${missing.join(', ')} is missing.`,
  };
}

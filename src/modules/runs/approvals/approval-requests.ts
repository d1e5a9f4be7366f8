import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { approvalDigestOf } from '../domain/digests.js';
import { approvalReasonOf } from '../domain/approval-policy.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import type { ActiveRun } from '../engine/held-run.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { APPROVAL_ID } from '../runs.ids.js';
import { approvalMailJob } from '../jobs/runs.job.js';

/** Asks people to approve calls of tools. */
@Injectable()
export class ApprovalRequests {
  constructor(
    private readonly approvals: ApprovalsStore,
    private readonly writes: RunWritesStore,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Asks for the approval of a call, in the transaction that makes it wait. What is approved is what runs. */
  async ask(active: ActiveRun, call: RunToolCall): Promise<void> {
    const { run, version, tools, isTainted } = active;
    const { tool, use } = tools.get(call.tool)!;
    const input = call.arguments;
    const createdAt = this.clock.now();
    const id = this.ids.next(APPROVAL_ID);
    await this.approvals.add({
      id,
      orgId: run.orgId,
      agentId: run.agentId,
      runId: run.id,
      callId: call.id,
      tool: call.tool,
      arguments: input,
      digest: approvalDigestOf({ tool, input, version }),
      reason: approvalReasonOf({ tool, use, input, isTainted }) ?? 'rule',
      createdAt,
      expiresAt: new Date(createdAt.getTime() + version.approvalExpiresMs),
    });
    await this.writes.addEvents(run.id, [
      { type: 'call.awaiting_approval', data: { call_id: call.id, approval_id: id, tool: call.tool } },
    ]);
    await this.outbox.enqueue(approvalMailJob, { approvalId: id, orgId: run.orgId });
  }
}

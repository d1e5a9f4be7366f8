import { Injectable } from '@nestjs/common';
import type { Approval } from '../domain/approval.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunsStore } from '../persistence/runs.store.js';

/** An approval that still waits, with who started its run. */
@Injectable()
export class ApprovalMailSources {
  constructor(
    private readonly approvals: ApprovalsStore,
    private readonly runs: RunsStore,
  ) {}

  async waiting(orgId: string, id: string): Promise<(Approval & { readonly startedBy: string }) | undefined> {
    const approval = await this.approvals.find([orgId], id);
    const run = approval?.state === 'waiting' ? await this.runs.find([orgId], approval.runId) : undefined;
    return approval && run && { ...approval, startedBy: run.userId };
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Approval } from '../domain/approval.js';
import type { Run } from '../domain/run.js';
import { RunSignals } from '../events/run-signals.js';
import type { ApprovalDecision } from '../persistence/approvals.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { ApprovalAlreadyDecided } from '../runs.errors.js';
import { RunWakesService } from '../run-wakes.service.js';
import { ApprovalStores } from './approval-stores.js';

/** Commits a decision with what follows from it: the state of the call, an event, and the wake of its run. */
@Injectable()
export class ApprovalEffects {
  constructor(
    private readonly stores: ApprovalStores,
    private readonly writes: RunWritesStore,
    private readonly wakes: RunWakesService,
    private readonly signals: RunSignals,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns an approval whose run is locked until the transaction ends. */
  async lock(orgIds: readonly string[], id: string): Promise<Approval | undefined> {
    const { approvals, runs } = this.stores;
    const approval = await approvals.find(orgIds, id);
    if (approval !== undefined) await runs.findAndLock(orgIds, approval.runId);
    return approval && (await approvals.find(orgIds, id));
  }

  runOf({ orgId, runId }: Approval): Promise<Run | undefined> {
    return this.stores.runs.find([orgId], runId);
  }

  /** @throws {ApprovalAlreadyDecided} `approval_already_decided` */
  async apply({ id, orgId, runId, callId, tool }: Approval, decision: ApprovalDecision): Promise<Approval> {
    const { approvals, calls, messages } = this.stores;
    if (!(await approvals.decide(id, decision, this.clock.now()))) throw new ApprovalAlreadyDecided('void');
    const { changed, note } = decision;
    if (decision.state === 'approved') {
      const changedArguments = changed === undefined ? {} : { arguments: changed.arguments };
      await calls.change(callId, ['awaiting_approval'], { state: 'authorised', ...changedArguments });
      if (changed !== undefined) {
        const content = `The arguments of ${tool} were changed before they were approved.${noteOf(note)}`;
        await messages.add(runId, { callId: null, content, userId: decision.decidedBy });
      }
    } else {
      const error = note === null ? {} : { error: { code: 'denied', message: note } };
      await calls.change(callId, ['awaiting_approval'], { state: 'denied', ...error });
    }
    const data = { call_id: callId, approval_id: id, tool, ...(note === null ? {} : { note }) };
    await this.writes.addEvents(runId, [
      decision.state === 'approved'
        ? { type: 'call.approved', data: { ...data, changed: changed !== undefined } }
        : { type: 'call.ended', data: { ...data, state: 'denied' } },
    ]);
    await this.wakes.wake(orgId, [runId]);
    await this.database.afterCommit(() => this.signals.notify(runId));
    return (await approvals.find([orgId], id))!;
  }
}

const noteOf = (note: string | null): string => (note === null ? '' : ` ${note}`);

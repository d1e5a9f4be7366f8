import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { RunWakesService } from '../run-wakes.service.js';

const BATCH = 100;

/** Expires approvals that nobody decided in time. */
@Injectable()
export class ApprovalExpiry {
  constructor(
    private readonly database: Database,
    private readonly approvals: ApprovalsStore,
    private readonly calls: RunToolCallsStore,
    private readonly writes: RunWritesStore,
    private readonly wakes: RunWakesService,
    private readonly clock: Clock,
  ) {}

  /** Returns how many have expired. */
  expireSome(): Promise<number> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const expired = await this.approvals.takeExpired(now, BATCH);
      for (const { id, orgId, runId, callId, tool } of expired) {
        await this.approvals.decide(id, { state: 'expired', decidedBy: null, note: null }, now);
        await this.calls.change(callId, ['awaiting_approval'], { state: 'expired' });
        await this.writes.addEvents(runId, [{ type: 'call.ended', data: { call_id: callId, tool, state: 'expired' } }]);
        await this.wakes.wake(orgId, [runId]);
      }
      return expired.length;
    });
  }
}

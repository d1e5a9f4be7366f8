import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { monthOf } from '../../metering/month.js';
import { SpendCapsStore } from '../persistence/spend-caps.store.js';
import { PursesService } from '../purse/purses.service.js';

export interface SpendCap {
  /** The cap is null when there is none. */
  readonly capNano: bigint | null;
  /** What this UTC month bills so far, including what is held for running work. */
  readonly billedNano: bigint;
  readonly month: string;
}

/** The most that an organization allows itself to be billed for the usage of a month. */
@Injectable()
export class SpendCapsService {
  constructor(
    private readonly database: Database,
    private readonly purses: PursesService,
    private readonly caps: SpendCapsStore,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  async of(orgId: string): Promise<SpendCap> {
    const month = monthOf(this.clock.now()).name;
    return { month, ...(await this.caps.find(orgId, month)) };
  }

  /**
   * Sets the cap from now on. What is already held or billed stays, even if it exceeds the cap, and the warnings that
   * are due are sent.
   */
  async set(call: Call, capNano: bigint | null): Promise<SpendCap> {
    const orgId = call.org.id;
    await this.database.transaction(async () => {
      await this.orgs.lockAndGetPlan(call, orgId);
      // Locks the account, so that no work begins under the old cap after the new one is returned.
      await this.purses.change({ orgIds: [orgId] }, () => undefined);
      const { capNano: before } = await this.of(orgId);
      await this.caps.set(orgId, capNano, this.clock.now());
      const now = this.clock.now();
      await this.purses.change({ orgIds: [orgId], times: [now] }, (session) => {
        session.warnOfAll(orgId, monthOf(now).name, now);
      });
      const shown = (nano: bigint | null): string | null => (nano === null ? null : formatUsd(nano));
      await this.orgs.record(
        {
          orgId,
          action: 'spend_cap.set',
          target: { type: 'organization', id: orgId },
          details: { before: shown(before), after: shown(capNano) },
        },
        call,
      );
    });
    return this.of(orgId);
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import type { CreditGrant } from './domain/credit-grant.js';
import { GrantsStore } from './persistence/grants.store.js';
import { PursesService } from './purse/purses.service.js';

export interface CreditBalance {
  /** What is left of all grants that have not expired, that which is held included. */
  readonly balanceNano: bigint;
  /** Of it, held for work that is under way. */
  readonly heldNano: bigint;
  /** Those with something left, in the order in which they are used. */
  readonly grants: readonly CreditGrant[];
}

@Injectable()
export class CreditBalanceService {
  constructor(
    private readonly purses: PursesService,
    private readonly grants: GrantsStore,
    private readonly clock: Clock,
  ) {}

  /** What an organization has. A person's own gets the credits of the Free plan now, if it never had them. */
  async of(orgId: string): Promise<CreditBalance> {
    if (!(await this.purses.isOpen(orgId))) await this.purses.change({ orgIds: [orgId] }, () => undefined);
    const now = this.clock.now();
    // What has expired is gone, but for what is held of it: that may still be paid with.
    const grants = (await this.grants.list(orgId))
      .map((grant) =>
        grant.expiresAt !== null && grant.expiresAt <= now ? { ...grant, remainingNano: grant.heldNano } : grant,
      )
      .filter(({ remainingNano }) => remainingNano > 0n);
    return {
      balanceNano: grants.reduce((sum, { remainingNano }) => sum + remainingNano, 0n),
      heldNano: grants.reduce((sum, { heldNano }) => sum + heldNano, 0n),
      grants,
    };
  }
}

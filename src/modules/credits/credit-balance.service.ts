import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import type { CreditGrant } from './domain/credit-grant.js';
import { GrantsStore } from './persistence/grants.store.js';
import { PursesService } from './purse/purses.service.js';

export interface CreditBalance {
  /** What is left of all grants that have not expired, including what is held. */
  readonly balanceNano: bigint;
  /** The part of the balance that is held for running work. */
  readonly heldNano: bigint;
  /** Grants with something left, in the order in which they are used. */
  readonly grants: readonly CreditGrant[];
}

@Injectable()
export class CreditBalanceService {
  constructor(
    private readonly purses: PursesService,
    private readonly grants: GrantsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns what an organization has. A personal organization gets the credits of the Free plan now if it has none yet.
   */
  async of(orgId: string): Promise<CreditBalance> {
    if (!(await this.purses.isOpen(orgId))) await this.purses.change({ orgIds: [orgId] }, () => undefined);
    const now = this.clock.now();
    // Expired credits are gone, except what is held of them: that may still pay for the work.
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

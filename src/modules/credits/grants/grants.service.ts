import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { CreditGrant, CreateGrantInput } from '../domain/credit-grant.js';
import { CREDIT_GRANT_ID } from '../credits.ids.js';
import { GrantsStore } from '../persistence/grants.store.js';
import { LedgerStore } from '../persistence/ledger.store.js';
import { PursesService } from '../purse/purses.service.js';

interface RefundInput {
  readonly orgId: string;
  readonly workKey: string;
  readonly amountNano: bigint;
  /** The same one gives back once. */
  readonly key: string;
}

/** Credits that organizations are given, and given back. */
@Injectable()
export class GrantsService {
  constructor(
    private readonly database: Database,
    private readonly purses: PursesService,
    private readonly grants: GrantsStore,
    private readonly ledger: LedgerStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives credits once for the key, with the caller's transaction if there is one.
   *
   * @param grantedBy who or what gave them, for the records.
   * @throws {AssertionError} when the key was used for other credits.
   */
  async grant(input: CreateGrantInput, grantedBy = 'service'): Promise<{ grant: CreditGrant; isNew: boolean }> {
    const { orgId, key, amountNano } = input;
    return this.onceLocked(orgId, async () => {
      const there = await this.grants.findByKey(key);
      if (there !== undefined) {
        assert(there.orgId === orgId && there.amountNano === amountNano, `The key ${key} was used for other credits.`);
        return { grant: there, isNew: false };
      }
      const grant = {
        ...input,
        id: this.ids.next(CREDIT_GRANT_ID),
        remainingNano: amountNano,
        grantedBy,
        createdAt: this.clock.now(),
      };
      await this.purses.change({ orgIds: [orgId] }, (session) => {
        session.grant(grant);
      });
      return { grant, isNew: true };
    });
  }

  /**
   * Gives back credits that a piece of work was paid with, into the grants that they came from, at most all of them;
   * with the caller's transaction if there is one. What was billed is no matter of credits: that is what credit notes
   * are for.
   *
   * @returns how much was given back, in nano-dollars; again, where the key was used before.
   */
  async refund({ orgId, workKey, amountNano, key }: RefundInput): Promise<bigint> {
    return this.onceLocked(orgId, async () => {
      const there = await this.ledger.entriesOf(`refund:${key}`);
      if (there.length > 0) return there.find(({ account }) => account === 'revenue')!.amountNano;
      return this.purses.change({ orgIds: [orgId], holdKeys: [workKey] }, (session) =>
        session.refund(workKey, amountNano, { refundKey: key, at: this.clock.now() }),
      );
    });
  }

  /** What is read while the account is locked stays so until the end. */
  private onceLocked<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      await this.purses.change({ orgIds: [orgId] }, () => undefined);
      return work();
    });
  }
}

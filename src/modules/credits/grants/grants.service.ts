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
  /** A key refunds once. */
  readonly key: string;
}

/** Grants and refunds credits. */
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
   * Grants credits once for the key, in the caller's transaction if there is one.
   *
   * @param grantedBy who or what granted them, for the records.
   * @throws {AssertionError} when the key was used for another grant.
   */
  async grant(input: CreateGrantInput, grantedBy = 'service'): Promise<{ grant: CreditGrant; isNew: boolean }> {
    const { orgId, key, amountNano } = input;
    return this.onceLocked(orgId, async () => {
      const existing = await this.grants.findByKey(key);
      if (existing !== undefined) {
        assert(
          existing.orgId === orgId && existing.amountNano === amountNano,
          `The key ${key} was used for another grant.`,
        );
        return { grant: existing, isNew: false };
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
   * Refunds credits that paid for a piece of work into the grants that they came from, at most all of them, in the
   * caller's transaction if there is one. Amounts on invoices are corrected by credit notes instead.
   *
   * @returns the refunded amount in nano-dollars; the earlier amount when the key was used before.
   */
  async refund({ orgId, workKey, amountNano, key }: RefundInput): Promise<bigint> {
    return this.onceLocked(orgId, async () => {
      const existing = await this.ledger.entriesOf(`refund:${key}`);
      if (existing.length > 0) return existing.find(({ account }) => account === 'revenue')!.amountNano;
      return this.purses.change({ orgIds: [orgId], holdKeys: [workKey] }, (session) =>
        session.refund(workKey, amountNano, { refundKey: key, at: this.clock.now() }),
      );
    });
  }

  /** Locks the account first, so that what `work` reads stays true until the transaction ends. */
  private onceLocked<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      await this.purses.change({ orgIds: [orgId] }, () => undefined);
      return work();
    });
  }
}

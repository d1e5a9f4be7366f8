import { Injectable } from '@nestjs/common';
import { CallBudgetService } from '../../limits/call-budget.service.js';
import type { BudgetAccount } from '../../limits/budget-account.js';
import { PLANS } from '../../plans/plan.js';
import { AccessKeyUsage } from './access-key-usage.js';
import { isOutdated, type KnownAccessKey } from './known-access-key.js';
import { KnownAccessKeys } from './known-access-keys.js';

/** Admits requests that are signed with access keys. */
@Injectable()
export class AccessKeyAdmission {
  constructor(
    private readonly keys: KnownAccessKeys,
    private readonly budgets: CallBudgetService,
    private readonly usage: AccessKeyUsage,
  ) {}

  /** Returns the key with its secret, to check a signature; undefined for a key that cannot be used. */
  find(accessKeyId: string): Promise<KnownAccessKey | undefined> {
    return this.keys.find(accessKeyId);
  }

  /**
   * Counts a request whose signature is right against the burst limit of the key, and returns the key with the
   * permissions that it has now. Undefined when it has ended meanwhile. The daily budget is not spent.
   *
   * @throws {BurstLimitExceeded} `burst_limit_exceeded`
   */
  async admit(key: KnownAccessKey): Promise<KnownAccessKey | undefined> {
    const { stamps, refusal } = await this.budgets.spend(accountOf(key), key.stamps);
    const current = isOutdated(key, stamps) ? await this.keys.renew(key.id) : key;
    if (current === undefined) return undefined;
    if (refusal !== undefined) throw refusal;
    this.usage.note(key.id);
    return current;
  }
}

/** More keys of an organization have more requests at once, as machines do that each have a key. */
function accountOf({ id, org }: KnownAccessKey): BudgetAccount {
  const { limits, callsPerSecond } = PLANS[org.plan];
  return {
    key: org.id,
    tier: { name: org.plan, callsPerDay: limits.callsPerDay, callsPerSecond },
    circles: [],
    burstOnly: `storage:${id}`,
  };
}

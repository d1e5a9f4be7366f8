import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { CreditBalanceService } from '../../credits/credit-balance.service.js';
import { CreditsExhausted } from '../../credits/credits.errors.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Plan, PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { ObjectTooLarge, StorageFull } from '../objects.errors.js';
import { StorageFullNotices } from './storage-full-notices.js';

const GIGABYTE = 1_000_000_000;
/** Storage is charged once an hour, so that a balance this old is recent. */
const BALANCE_MAX_AGE_MS = 5_000;
const MAX_BALANCES = 10_000;

/** Decides what organizations may write. Reads and deletions always go on. */
@Injectable()
export class WriteGate {
  private readonly balances = new Map<string, { readonly availableNano: bigint; readonly at: number }>();

  constructor(
    private readonly orgs: OrgDirectory,
    private readonly credits: CreditBalanceService,
    private readonly settings: PlansSettings,
    private readonly clock: Clock,
    private readonly notices: StorageFullNotices,
  ) {}

  /**
   * Returns the plan of an organization that may store an object of this size.
   *
   * @throws {ObjectTooLarge} `object_too_large`
   * @throws {CreditsExhausted} `credits_exhausted`
   */
  async admit(orgId: string, bytes: number): Promise<Plan> {
    const plan = PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
    const limitBytes = plan.storage.objectGigabytes * GIGABYTE;
    if (bytes > limitBytes) throw new ObjectTooLarge(limitBytes, this.settings.pricingUrl);
    if (!plan.billsUsage) await this.requireCredits(orgId);
    return plan;
  }

  get pricingUrl(): string {
    return this.settings.pricingUrl;
  }

  /** Announces that the storage of an organization is full, and returns the refusal of the write. */
  async full(orgId: string, plan: Plan): Promise<StorageFull> {
    await this.notices.announce(orgId, quotaBytesOf(plan));
    return new StorageFull(plan, this.pricingUrl);
  }

  private async requireCredits(orgId: string): Promise<void> {
    const now = this.clock.now().getTime();
    let known = this.balances.get(orgId);
    if (known === undefined || Math.abs(now - known.at) > BALANCE_MAX_AGE_MS) {
      const { balanceNano, heldNano } = await this.credits.of(orgId);
      known = { availableNano: balanceNano - heldNano, at: now };
      if (this.balances.size >= MAX_BALANCES) this.balances.clear();
      this.balances.set(orgId, known);
    }
    const { availableNano } = known;
    if (availableNano <= 0n)
      throw new CreditsExhausted({ requiredNano: 1n, availableNano, upgradeUrl: this.settings.pricingUrl });
  }
}

export const quotaBytesOf = ({ storage }: Plan): number => storage.gigabytes * GIGABYTE;

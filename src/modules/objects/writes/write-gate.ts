import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { CreditsExhausted, SpendCapReached } from '../../credits/credits.errors.js';
import { UsageAllowanceService } from '../../credits/usage-allowance.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Plan, type PlanId, PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { ObjectTooLarge, StorageFull } from '../objects.errors.js';
import { StorageFullNotices } from './storage-full-notices.js';

const GIGABYTE = 1_000_000_000;
/** Storage is charged once an hour, so that what was found this long ago still holds. */
const ALLOWANCE_MAX_AGE_MS = 5_000;
const MAX_ALLOWANCES = 10_000;

/** Whether an organization may store more, as it was found with a plan at a time. */
interface KnownAllowance {
  readonly planId: PlanId;
  readonly at: number;
  /** A promise, so that writes that come at once share the question. */
  readonly refusal: Promise<CreditsExhausted | SpendCapReached | undefined>;
}

/** Decides what organizations may write. Reads and deletions always go on. */
@Injectable()
export class WriteGate {
  private readonly allowances = new Map<string, KnownAllowance>();

  constructor(
    private readonly orgs: OrgDirectory,
    private readonly allowance: UsageAllowanceService,
    private readonly settings: PlansSettings,
    private readonly clock: Clock,
    private readonly notices: StorageFullNotices,
  ) {}

  /**
   * Returns the plan of an organization that may store an object of this size.
   *
   * @throws {ObjectTooLarge} `object_too_large`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async admit(orgId: string, bytes: number): Promise<Plan> {
    const plan = PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
    const limitBytes = plan.storage.objectGigabytes * GIGABYTE;
    if (bytes > limitBytes) throw new ObjectTooLarge(limitBytes, this.settings.pricingUrl);
    await this.requireAllowance(orgId, plan.id);
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

  private async requireAllowance(orgId: string, planId: PlanId): Promise<void> {
    const now = this.clock.now().getTime();
    const known = this.allowances.get(orgId);
    // A change of the plan counts at once.
    const isRecent = known?.planId === planId && Math.abs(now - known.at) <= ALLOWANCE_MAX_AGE_MS;
    const refusal = await (isRecent ? known.refusal : this.ask(orgId, planId, now));
    if (refusal !== undefined) throw refusal;
  }

  private ask(orgId: string, planId: PlanId, at: number): KnownAllowance['refusal'] {
    const refusal = this.allowance.refusalOf(orgId, 'object_storage');
    if (this.allowances.size >= MAX_ALLOWANCES) this.allowances.clear();
    this.allowances.set(orgId, { planId, at, refusal });
    // A failure of the database is no answer.
    refusal.catch(() => {
      if (this.allowances.get(orgId)?.refusal === refusal) this.allowances.delete(orgId);
    });
    return refusal;
  }
}

export const quotaBytesOf = ({ storage }: Plan): number => storage.gigabytes * GIGABYTE;

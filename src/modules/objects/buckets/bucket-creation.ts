import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { TooManyBuckets } from '../objects.errors.js';
import { BUCKET_ID } from '../objects.ids.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { BucketsStore } from '../persistence/buckets.store.js';
import { BUCKET_NAME_RULE, bucketLabelOf, isBucketName } from './bucket-names.js';

export type CreateBucketInput = Pick<Bucket, 'projectId' | 'name' | 'visibility' | 'cors' | 'expireAfterDays'>;

/** Makes buckets within the limit of the plan, and gives them their labels. It stores nothing. */
@Injectable()
export class BucketCreation {
  constructor(
    private readonly buckets: BucketsStore,
    private readonly orgs: OrgDirectory,
    private readonly plans: PlansSettings,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts under the lock of the organization, which lasts until the running transaction ends.
   *
   * @throws {TooManyBuckets} `plan_limit_reached`
   * @throws {RequestInvalid} `invalid_request`
   */
  async of(call: Call, orgId: string, input: CreateBucketInput): Promise<Bucket> {
    this.requireValid(input);
    const plan = PLANS[await this.orgs.lockAndGetPlan(call, orgId)];
    if ((await this.buckets.count(orgId)) >= plan.storage.buckets)
      throw new TooManyBuckets(plan, this.plans.pricingUrl);
    const now = this.clock.now();
    return {
      ...input,
      id: this.ids.next(BUCKET_ID),
      orgId,
      label: bucketLabelOf(input.name),
      sizeBytes: 0,
      reservedBytes: 0,
      objectCount: 0,
      createdBy: call.principal.user.id,
      createdAt: now,
      updatedAt: now,
    };
  }

  /** @throws {RequestInvalid} `invalid_request` */
  requireValid({ name }: Pick<Bucket, 'name'>): void {
    if (isBucketName(name)) return;
    throw new RequestInvalid([
      { path: 'name', in: 'body', code: 'is_bucket_name', message: `name ${BUCKET_NAME_RULE}`, received: name },
    ]);
  }
}

import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { storedBytesOf } from '../../plans/plan.js';
import { StoredBytes } from '../../hosting/stored-bytes.js';
import { UploadsService } from '../../uploads/uploads.service.js';
import { StorageLimitReached } from '../deploys.errors.js';
import { ProductionGate } from './production-gate.js';

const NAMED_PROJECTS = 5;

/**
 * Refuses deploys early when the organization has no storage left, which its deploys and uploads share. Whether the
 * files fit is only known when they are stored.
 */
@Injectable()
export class StorageGate {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly plans: ProductionGate,
    private readonly stored: StoredBytes,
    private readonly uploads: UploadsService,
  ) {}

  /** @throws {StorageLimitReached} `storage_limit_reached` */
  async requireRoom(orgId: string): Promise<void> {
    const plan = await this.plans.planOf(orgId);
    const limitBytes = storedBytesOf(plan);
    const uploadBytes = await this.uploads.bytesOf(orgId);
    const usedBytes = (await this.stored.of(orgId)) + uploadBytes;
    if (usedBytes < limitBytes) return;
    const projects = await this.stored.largestProjects(orgId, NAMED_PROJECTS);
    throw new StorageLimitReached({ plan, limitBytes, usedBytes, uploadBytes, projects }, this.planSettings.pricingUrl);
  }
}

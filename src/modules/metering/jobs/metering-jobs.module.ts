import { Module } from '@nestjs/common';
import { PartitionsModule } from '../../../platform/partitions/partitions.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { MeteringModule } from '../metering.module.js';
import { StorageSamplesStore } from '../persistence/storage-samples.store.js';
import { UsagePartitionsStore } from '../persistence/usage-partitions.store.js';
import { UsageReconciliationStore } from '../persistence/usage-reconciliation.store.js';
import { RECONCILIATION_METRICS } from '../reconciliation/reconciliation.metrics.js';
import { UsageReconciler } from '../reconciliation/usage-reconciler.js';
import { StorageSampler } from '../storage/storage-sampler.js';
import { StorageSamplingTimer } from './storage-sampling.timer.js';
import { UsageEventPartitions } from './usage-event-partitions.js';
import { UsageReconciliationTimer } from './usage-reconciliation.timer.js';

@Module({
  imports: [MeteringModule, OrgDirectoryModule, PartitionsModule],
  providers: [
    StorageSampler,
    StorageSamplesStore,
    StorageSamplingTimer,
    UsageEventPartitions,
    UsagePartitionsStore,
    UsageReconciler,
    UsageReconciliationTimer,
    UsageReconciliationStore,
    ...RECONCILIATION_METRICS,
  ],
})
export class MeteringJobsModule {}

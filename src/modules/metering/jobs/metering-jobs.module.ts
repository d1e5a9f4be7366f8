import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { MeteringModule } from '../metering.module.js';
import { StorageSamplesStore } from '../persistence/storage-samples.store.js';
import { UsageReconciliationStore } from '../persistence/usage-reconciliation.store.js';
import { RECONCILIATION_METRICS } from '../reconciliation/reconciliation.metrics.js';
import { UsageReconciler } from '../reconciliation/usage-reconciler.js';
import { StorageSampler } from '../storage/storage-sampler.js';
import { StorageSamplingTimer } from './storage-sampling.timer.js';
import { UsagePartitionsTimer } from './usage-partitions.timer.js';
import { UsageReconciliationTimer } from './usage-reconciliation.timer.js';

@Module({
  imports: [MeteringModule, OrgDirectoryModule],
  providers: [
    StorageSampler,
    StorageSamplesStore,
    StorageSamplingTimer,
    UsagePartitionsTimer,
    UsageReconciler,
    UsageReconciliationTimer,
    UsageReconciliationStore,
    ...RECONCILIATION_METRICS,
  ],
})
export class MeteringJobsModule {}

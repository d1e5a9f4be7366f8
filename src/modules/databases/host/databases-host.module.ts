import { Module } from '@nestjs/common';
import { BackupsHostModule } from '../backups/backups-host.module.js';
import { ENGINE_METRICS } from '../metrics/engine.metrics.js';
import { OperationsHostModule } from '../operations/operations-host.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { QuotasHostModule } from '../quotas/quotas-host.module.js';
import { WireModule } from '../wire/wire.module.js';
import { ActivityWriter } from './activity-writer.js';
import { HostIdentityModule } from './host-identity.module.js';
import { SizeMeasuring } from './size-measuring.js';

/** Keeps databases on this host, and answers their clients. It runs in the role `databases`. */
@Module({
  imports: [
    BackupsHostModule,
    DatabasesPersistenceModule,
    HostIdentityModule,
    OperationsHostModule,
    QuotasHostModule,
    WireModule,
  ],
  providers: [...ENGINE_METRICS, ActivityWriter, SizeMeasuring],
})
export class DatabasesHostModule {}

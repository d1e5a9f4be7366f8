import { Module } from '@nestjs/common';
import { OPERATION_METRICS } from '../metrics/operation.metrics.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { CreateDatabase } from './create-database.js';
import { DeleteDatabase } from './delete-database.js';
import { OperationLeases } from './operation-leases.js';
import { OperationRunner } from './operation-runner.js';
import { OperationWorker } from './operation-worker.js';
import { OperationsModule } from './operations.module.js';
import { HostIdentityModule } from '../host/host-identity.module.js';
import { RemoveDatabase } from './remove-database.js';

/** Does the operations of this host. It runs in the role `databases`. */
@Module({
  imports: [DatabasesPersistenceModule, OperationsModule, HostIdentityModule],
  providers: [
    ...OPERATION_METRICS,
    CreateDatabase,
    DeleteDatabase,
    OperationLeases,
    OperationRunner,
    OperationWorker,
    RemoveDatabase,
  ],
})
export class OperationsHostModule {}

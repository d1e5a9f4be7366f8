import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { DatabaseOperations } from './database-operations.js';
import { DatabaseOutcomes } from './database-outcomes.js';
import { DatabaseRemovals } from './database-removals.js';
import { OperationHandlers } from './operation-handlers.js';

/** For parts that ask for operations, and for parts that add handlers of more kinds. */
@Module({
  imports: [DatabasesPersistenceModule, EventsModule],
  providers: [DatabaseOperations, DatabaseOutcomes, DatabaseRemovals, OperationHandlers],
  exports: [DatabaseOperations, DatabaseOutcomes, DatabaseRemovals, OperationHandlers],
})
export class OperationsModule {}

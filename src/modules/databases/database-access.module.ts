import { Module } from '@nestjs/common';
import { AccessTickets } from './access/access-tickets.js';
import { DatabaseAccess } from './database-access.js';
import { DatabasesPersistenceModule } from './persistence/databases-persistence.module.js';

/** Opens connections to project databases, from any process of the service. */
@Module({
  imports: [DatabasesPersistenceModule],
  providers: [AccessTickets, DatabaseAccess],
  exports: [AccessTickets, DatabaseAccess],
})
export class DatabaseAccessModule {}

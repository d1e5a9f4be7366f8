import { Module } from '@nestjs/common';
import { EngineHostModule } from '../engine/engine-host.module.js';
import { OperatingHost } from '../operations/operating-host.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { WireListenerModule } from '../wire/wire-listener.module.js';
import { DatabaseHost } from './database-host.js';

/** This host: its engine, and its row. */
@Module({
  imports: [DatabasesPersistenceModule, EngineHostModule, WireListenerModule],
  providers: [DatabaseHost, { provide: OperatingHost, useExisting: DatabaseHost }],
  exports: [EngineHostModule, OperatingHost, WireListenerModule],
})
export class HostIdentityModule {}

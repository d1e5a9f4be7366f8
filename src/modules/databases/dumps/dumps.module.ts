import { Module } from '@nestjs/common';
import { IsolationModule } from '../../../platform/isolation/isolation.module.js';
import { DatabaseAccessModule } from '../database-access.module.js';
import { HostIdentityModule } from '../host/host-identity.module.js';
import { DumpDoors } from './dump-doors.js';
import { DumpLaunches } from './dump-launches.js';
import { DumpPrograms } from './dump-programs.js';
import { DumpRoom } from './dump-room.js';
import { DumpRuns } from './dump-runs.js';
import { DumpSessions } from './dump-sessions.js';

/** Writes databases of this host in the format of `pg_restore`. It runs in the role `databases`. */
@Module({
  imports: [DatabaseAccessModule, HostIdentityModule, IsolationModule],
  providers: [DumpDoors, DumpLaunches, DumpPrograms, DumpRoom, DumpRuns, DumpSessions],
  exports: [DumpSessions],
})
export class DumpsModule {}

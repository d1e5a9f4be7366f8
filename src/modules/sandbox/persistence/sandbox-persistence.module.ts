import { Module } from '@nestjs/common';
import { ExecutionsStore } from './executions.store.js';
import { SandboxSessionsStore } from './sandbox-sessions.store.js';

@Module({
  providers: [ExecutionsStore, SandboxSessionsStore],
  exports: [ExecutionsStore, SandboxSessionsStore],
})
export class SandboxPersistenceModule {}

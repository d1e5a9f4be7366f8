import { Module } from '@nestjs/common';
import { ExecutionsModule } from './executions/executions.module.js';
import { OrgSessionsService } from './org-sessions.service.js';
import { SandboxPersistenceModule } from './persistence/sandbox-persistence.module.js';
import { SandboxSessionsModule } from './sessions/sandbox-sessions.module.js';

/** Keeps interpreters for the runs of agents. */
@Module({
  imports: [ExecutionsModule, SandboxPersistenceModule, SandboxSessionsModule],
  providers: [OrgSessionsService],
  exports: [OrgSessionsService],
})
export class OrgSessionsModule {}

import { Module } from '@nestjs/common';
import { ExecutionsModule } from './executions/executions.module.js';
import { OrgExecutionsService } from './org-executions.service.js';
import { SandboxPersistenceModule } from './persistence/sandbox-persistence.module.js';

/** Runs code for other modules. */
@Module({
  imports: [ExecutionsModule, SandboxPersistenceModule],
  providers: [OrgExecutionsService],
  exports: [OrgExecutionsService],
})
export class OrgExecutionsModule {}

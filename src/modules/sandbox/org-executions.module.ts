import { Module } from '@nestjs/common';
import { ExecutionsModule } from './executions/executions.module.js';
import { OrgExecutionsService } from './org-executions.service.js';

/** Runs code for other modules. */
@Module({
  imports: [ExecutionsModule],
  providers: [OrgExecutionsService],
  exports: [OrgExecutionsService],
})
export class OrgExecutionsModule {}

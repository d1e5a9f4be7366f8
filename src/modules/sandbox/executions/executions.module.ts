import { Module } from '@nestjs/common';
import { LimitsModule } from '../../limits/limits.module.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { SandboxModule } from '../sandbox.module.js';
import { AdmissionService } from './admission.service.js';
import { ExecutionsService } from './executions.service.js';
import { OrgPlaces } from './org-places.js';

/** The sandbox of organizations. */
@Module({
  imports: [LimitsModule, SandboxModule],
  providers: [AdmissionService, ExecutionsService, ExecutionsStore, OrgPlaces],
  exports: [ExecutionsService, ExecutionsStore, OrgPlaces],
})
export class ExecutionsModule {}

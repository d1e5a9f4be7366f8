import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { SandboxModule } from '../sandbox.module.js';
import { AdmissionService } from './admission.service.js';
import { DatabasePatience } from './database-patience.js';
import { ExecutionEnds } from './execution-ends.service.js';
import { ExecutionMoney } from './execution-money.service.js';
import { ExecutionSweeper } from './execution-sweeper.js';
import { ExecutionsService } from './executions.service.js';
import { OrgPlaces } from './org-places.js';

/** The sandbox of organizations. */
@Module({
  imports: [CreditsModule, LimitsModule, SandboxModule],
  providers: [
    AdmissionService,
    DatabasePatience,
    ExecutionEnds,
    ExecutionMoney,
    ExecutionSweeper,
    ExecutionsService,
    ExecutionsStore,
    OrgPlaces,
  ],
  exports: [DatabasePatience, ExecutionEnds, ExecutionsService, ExecutionsStore, OrgPlaces],
})
export class ExecutionsModule {}

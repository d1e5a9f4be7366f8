import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { SandboxModule } from '../sandbox.module.js';
import { ExecutionAdmissionService } from './execution-admission.service.js';
import { DatabasePatience } from './database-patience.js';
import { ExecutionEnds } from './execution-ends.js';
import { ExecutionMoney } from './execution-money.js';
import { ExecutionSweeper } from './execution-sweeper.js';
import { ExecutionsService } from './executions.service.js';
import { OrgPlaces } from './org-places.js';

/** The sandbox of organizations. */
@Module({
  imports: [CreditsModule, LimitsModule, SandboxModule],
  providers: [
    ExecutionAdmissionService,
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

import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { CreditsModule } from '../../credits/credits.module.js';
import { EventsModule } from '../../events/events.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { SandboxPersistenceModule } from '../persistence/sandbox-persistence.module.js';
import { SandboxModule } from '../sandbox.module.js';
import { ExecutionAdmissionService } from './execution-admission.service.js';
import { PackageAdmission } from '../packages/package-admission.js';
import { PackageSetsService } from '../packages/package-sets.service.js';
import { PackagesBilling } from '../packages/packages-billing.js';
import { SetStates } from '../packages/set-states.js';
import { AdmissionChecks } from './admission-checks.js';
import { CallerLimitsService } from './caller-limits.service.js';
import { EndedExecutions } from './ended-executions.js';
import { ExecutionEnds } from './execution-ends.js';
import { ExecutionBilling } from './execution-billing.js';
import { ExecutionQueue } from './execution-queue.js';
import { ExecutionSweeper } from './execution-sweeper.js';
import { ExecutionStreams } from './execution-streams.js';
import { ExecutionsService } from './executions.service.js';
import { KeyedExecutions } from './keyed-executions.js';
import { NetworkPermission } from '../network/network-permission.js';
import { NewExecutions } from './new-executions.js';
import { OrgSlots } from './org-slots.js';

/** The sandbox for organizations. */
@Module({
  imports: [AuditModule, CreditsModule, EventsModule, LimitsModule, SandboxModule, SandboxPersistenceModule],
  providers: [
    AdmissionChecks,
    CallerLimitsService,
    ExecutionAdmissionService,
    EndedExecutions,
    ExecutionEnds,
    ExecutionBilling,
    ExecutionSweeper,
    ExecutionQueue,
    ExecutionStreams,
    ExecutionsService,
    KeyedExecutions,
    NetworkPermission,
    NewExecutions,
    OrgSlots,
    PackageAdmission,
    PackageSetsService,
    PackagesBilling,
    SetStates,
  ],
  exports: [
    CallerLimitsService,
    ExecutionEnds,
    ExecutionStreams,
    ExecutionsService,
    KeyedExecutions,
    NetworkPermission,
    OrgSlots,
    PackageAdmission,
    PackageSetsService,
    PackagesBilling,
    SetStates,
  ],
})
export class ExecutionsModule {}

import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { PlanPauses } from './domain/plan-pauses.js';
import { ScheduleAccess } from './domain/schedule-access.js';
import { ScheduleCreation } from './domain/schedule-creation.js';
import { ScheduleGate } from './domain/schedule-gate.js';
import { SchedulesService } from './domain/schedules.service.js';
import { EndedRuns } from './firing/ended-runs.js';
import { FireRecords } from './firing/fire-records.js';
import { FireRefusals } from './firing/fire-refusals.js';
import { ManualFiresService } from './firing/manual-fires.service.js';
import { NextTimes } from './firing/next-times.js';
import { ScheduledRuns } from './firing/scheduled-runs.js';
import { ScheduleFiring } from './firing/schedule-firing.js';
import { FIRE_METRICS } from './metrics/fire.metrics.js';
import { SchedulesPersistenceModule } from './persistence/schedules-persistence.module.js';

/** Runs of agents at times. Every process that ends runs needs it, because it learns of their ends. */
@Module({
  imports: [AgentsModule, OrgDirectoryModule, RunsModule, SchedulesPersistenceModule],
  providers: [
    ...FIRE_METRICS,
    EndedRuns,
    FireRecords,
    FireRefusals,
    ManualFiresService,
    NextTimes,
    PlanPauses,
    ScheduleAccess,
    ScheduleCreation,
    ScheduledRuns,
    ScheduleFiring,
    ScheduleGate,
    SchedulesService,
  ],
  exports: [ManualFiresService, NextTimes, PlanPauses, ScheduleFiring, SchedulesService],
})
export class SchedulesModule {}

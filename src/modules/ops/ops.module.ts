import { Module } from '@nestjs/common';
import { AlertIntakeService } from './alerts/alert-intake.service.js';
import { Runbooks } from './manifest/runbooks.js';
import { OPS_METRICS } from './metrics/ops.metrics.js';
import { OpsAlertsStore } from './persistence/ops-alerts.store.js';
import { OpsTasksStore } from './persistence/ops-tasks.store.js';
import { OpsTasksService } from './tasks/ops-tasks.service.js';

/** Turns alerts into tasks for operators, with runbooks that describe how to resolve them. */
@Module({
  providers: [AlertIntakeService, OpsAlertsStore, OpsTasksService, OpsTasksStore, Runbooks, ...OPS_METRICS],
  exports: [AlertIntakeService, OpsTasksService, OpsTasksStore, Runbooks],
})
export class OpsModule {}

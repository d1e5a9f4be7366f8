import { Module } from '@nestjs/common';
import { AlertIntakeService } from './alerts/alert-intake.service.js';
import { Runbooks } from './manifest/runbooks.js';
import { OPS_METRICS } from './metrics/ops.metrics.js';
import { OpsAlertsStore } from './persistence/ops-alerts.store.js';
import { OpsTasksStore } from './persistence/ops-tasks.store.js';
import { OpsTasksService } from './tasks/ops-tasks.service.js';

/** Alerts, the tasks that come of them, and the runbooks that say what to do. */
@Module({
  providers: [AlertIntakeService, OpsAlertsStore, OpsTasksService, OpsTasksStore, Runbooks, ...OPS_METRICS],
  exports: [AlertIntakeService, OpsTasksService, OpsTasksStore, Runbooks],
})
export class OpsModule {}

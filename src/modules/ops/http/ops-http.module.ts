import { Module } from '@nestjs/common';
import { DocsModule } from '../../docs/docs.module.js';
import { HealthModule } from '../../health/health.module.js';
import { JobRetries } from '../background/job-retries.js';
import { ScheduleTimes } from '../background/schedule-times.js';
import { ManifestService } from '../manifest/manifest.service.js';
import { OpenWork } from '../manifest/open-work.js';
import { ServiceInstance } from '../manifest/service-instance.js';
import { OpsModule } from '../ops.module.js';
import { OpsController } from './ops.controller.js';
import { OpsBackgroundController } from './ops-background.controller.js';
import { OpsErrorsController } from './ops-errors.controller.js';
import { RunbookPages } from './runbook-pages.js';
import { RunbookPagesController } from './runbook-pages.controller.js';
import { OpsTasksController } from './ops-tasks.controller.js';

@Module({
  imports: [DocsModule, HealthModule, OpsModule],
  controllers: [
    OpsBackgroundController,
    OpsController,
    OpsErrorsController,
    OpsTasksController,
    RunbookPagesController,
  ],
  providers: [JobRetries, ManifestService, OpenWork, RunbookPages, ScheduleTimes, ServiceInstance],
})
export class OpsHttpModule {}

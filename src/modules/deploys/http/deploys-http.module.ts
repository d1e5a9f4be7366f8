import { Module } from '@nestjs/common';
import { HostingModule } from '../../hosting/hosting.module.js';
import { DeploysModule } from '../deploys.module.js';
import { AppMetricsController } from './app-metrics.controller.js';
import { DeployViews } from './deploy-views.js';
import { DeploysController } from './deploys.controller.js';
import { ProjectDeploysController } from './project-deploys.controller.js';
import { ProjectSettingsController } from './project-settings.controller.js';
import { RuntimeLogsController } from './runtime-logs.controller.js';

@Module({
  imports: [DeploysModule, HostingModule],
  controllers: [
    ProjectDeploysController,
    DeploysController,
    ProjectSettingsController,
    RuntimeLogsController,
    AppMetricsController,
  ],
  providers: [DeployViews],
})
export class DeploysHttpModule {}

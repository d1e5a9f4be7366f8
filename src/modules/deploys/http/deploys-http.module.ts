import { Module } from '@nestjs/common';
import { DeploysModule } from '../deploys.module.js';
import { DeployViews } from './deploy-views.js';
import { DeploysController } from './deploys.controller.js';
import { ProjectDeploysController } from './project-deploys.controller.js';
import { ProjectSettingsController } from './project-settings.controller.js';
import { RuntimeLogsController } from './runtime-logs.controller.js';

@Module({
  imports: [DeploysModule],
  controllers: [ProjectDeploysController, DeploysController, ProjectSettingsController, RuntimeLogsController],
  providers: [DeployViews],
})
export class DeploysHttpModule {}

import { Module } from '@nestjs/common';
import { DeploysModule } from '../deploys.module.js';
import { DeployViews } from './deploy-views.js';
import { DeploysController } from './deploys.controller.js';
import { ProjectDeploysController } from './project-deploys.controller.js';
import { RuntimeLogsController } from './runtime-logs.controller.js';

@Module({
  imports: [DeploysModule],
  controllers: [ProjectDeploysController, DeploysController, RuntimeLogsController],
  providers: [DeployViews],
})
export class DeploysHttpModule {}

import { Module } from '@nestjs/common';
import { DeploysModule } from '../deploys.module.js';
import { DeployViews } from './deploy-views.js';
import { DeploysController } from './deploys.controller.js';
import { ProjectDeploysController } from './project-deploys.controller.js';

@Module({
  imports: [DeploysModule],
  controllers: [ProjectDeploysController, DeploysController],
  providers: [DeployViews],
})
export class DeploysHttpModule {}

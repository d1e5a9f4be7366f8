import { Module } from '@nestjs/common';
import { RepositoriesModule } from '../../repositories/repositories.module.js';
import { DeploysPersistenceModule } from '../persistence/deploys-persistence.module.js';
import { PushDeployReporter } from '../pushes/push-deploy-reporter.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { HostingModule } from '../../hosting/hosting.module.js';
import { DeploysModule } from '../deploys.module.js';
import { AppMetricsController } from './app-metrics.controller.js';
import { DeployWebhookController } from './deploy-webhook.controller.js';
import { DeployHooksController } from './deploy-hooks.controller.js';
import { DeployViews } from './deploy-views.js';
import { DeploysController } from './deploys.controller.js';
import { ProtectionController } from './protection.controller.js';
import { ProjectDeploysController } from './project-deploys.controller.js';
import { ProjectSettingsController } from './project-settings.controller.js';
import { RuntimeLogsController } from './runtime-logs.controller.js';

@Module({
  imports: [DeploysModule, DeploysPersistenceModule, HostingModule, ProjectsModule, RepositoriesModule],
  controllers: [
    ProjectDeploysController,
    DeploysController,
    DeployHooksController,
    DeployWebhookController,
    ProjectSettingsController,
    RuntimeLogsController,
    AppMetricsController,
    ProtectionController,
  ],
  providers: [DeployViews, PushDeployReporter],
})
export class DeploysHttpModule {}

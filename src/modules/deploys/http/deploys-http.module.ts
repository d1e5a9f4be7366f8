import { Module } from '@nestjs/common';
import { LeakedTokensModule } from '../../auth/leaked-tokens.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { ExportedDeploys } from './exported-deploys.js';
import { RepositoriesModule } from '../../repositories/repositories.module.js';
import { DeploysPersistenceModule } from '../persistence/deploys-persistence.module.js';
import { PushDeployReporter } from '../pushes/push-deploy-reporter.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { HostingModule } from '../../hosting/hosting.module.js';
import { DeploysModule } from '../deploys.module.js';
import { LeakedDeployHooks } from '../hooks/leaked-deploy-hooks.js';
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
  imports: [
    DeploysModule,
    DeploysPersistenceModule,
    HostingModule,
    LeakedTokensModule,
    OrgDirectoryModule,
    ProjectsModule,
    RepositoriesModule,
  ],
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
  providers: [ExportedDeploys, DeployViews, LeakedDeployHooks, PushDeployReporter],
})
export class DeploysHttpModule {}

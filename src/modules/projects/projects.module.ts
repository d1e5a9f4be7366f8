import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { EnvVault } from './env/env-vault.js';
import { ProjectEnvStore } from './persistence/project-env.store.js';
import { ProjectsCounter } from './persistence/projects-counter.js';
import { ProjectsStore } from './persistence/projects.store.js';
import { ProjectEnvService } from './project-env.service.js';
import { ProjectsService } from './projects.service.js';

@Module({
  imports: [OrgDirectoryModule, PlansModule],
  providers: [EnvVault, ProjectEnvService, ProjectEnvStore, ProjectsCounter, ProjectsService, ProjectsStore],
  exports: [ProjectEnvService, ProjectEnvStore, ProjectsService, ProjectsStore],
})
export class ProjectsModule {}

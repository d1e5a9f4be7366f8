import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { EnvVault } from './env/env-vault.js';
import { ProjectsCounter } from './persistence/projects-counter.js';
import { ProjectsPersistenceModule } from './persistence/projects-persistence.module.js';
import { ProjectRegistry } from './registry/project-registry.js';
import { ProjectEnvService } from './project-env.service.js';
import { ProjectsService } from './projects.service.js';

@Module({
  imports: [OrgDirectoryModule, PlansModule, ProjectsPersistenceModule],
  providers: [EnvVault, ProjectEnvService, ProjectRegistry, ProjectsCounter, ProjectsService],
  exports: [ProjectEnvService, ProjectsService],
})
export class ProjectsModule {}

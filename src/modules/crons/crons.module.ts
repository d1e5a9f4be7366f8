import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { CronSecrets } from './cron-secrets.js';
import { CronCreation } from './domain/cron-creation.js';
import { CronGate } from './domain/cron-gate.js';
import { CronsService } from './domain/crons.service.js';
import { CronsPersistenceModule } from './persistence/crons-persistence.module.js';
import { ProjectCrons } from './project-crons.js';

@Module({
  imports: [CronsPersistenceModule, OrgDirectoryModule, ProjectsModule],
  providers: [CronCreation, CronGate, CronSecrets, CronsService, ProjectCrons],
  exports: [CronGate, CronSecrets, CronsService, ProjectCrons],
})
export class CronsModule {}

import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { ProjectsModule } from '../projects.module.js';
import { ProjectsPersistenceModule } from '../persistence/projects-persistence.module.js';
import { EncryptedProjectEnv } from './encrypted-project-env.js';
import { ProjectsOrgDeletedProcessor } from './projects-org-deleted.processor.js';

@Module({
  imports: [ProjectsModule, ProjectsPersistenceModule, ReencryptionModule],
  providers: [EncryptedProjectEnv, ProjectsOrgDeletedProcessor],
})
export class ProjectsJobsModule {}

import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { ProjectsModule } from '../projects.module.js';
import { ProjectsPersistenceModule } from '../persistence/projects-persistence.module.js';
import { EncryptedProjectEnv } from './encrypted-project-env.js';

@Module({ imports: [ProjectsModule, ProjectsPersistenceModule, ReencryptionModule], providers: [EncryptedProjectEnv] })
export class ProjectsJobsModule {}

import { Global, Module } from '@nestjs/common';
import { ProjectOwners } from '../metering/project-owners.js';
import { ProjectsPersistenceModule } from './persistence/projects-persistence.module.js';
import { StoredProjectOwners } from './usage/stored-project-owners.js';

/** Global, because `metering` needs the owners and is on a lower level than `projects`. */
@Global()
@Module({
  imports: [ProjectsPersistenceModule],
  providers: [{ provide: ProjectOwners, useClass: StoredProjectOwners }],
  exports: [ProjectOwners],
})
export class ProjectOwnersModule {}

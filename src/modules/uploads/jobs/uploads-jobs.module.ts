import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../projects/projects.module.js';
import { RepositoriesModule } from '../../repositories/repositories.module.js';
import { UploadsPersistenceModule } from '../persistence/uploads-persistence.module.js';
import { UploadsSweeper } from './uploads.sweeper.js';

@Module({
  imports: [ProjectsModule, RepositoriesModule, UploadsPersistenceModule],
  providers: [UploadsSweeper],
})
export class UploadsJobsModule {}

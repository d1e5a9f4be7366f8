import { Module } from '@nestjs/common';
import { ExportedRepositories } from './exported-repositories.js';
import { RepositoriesModule } from '../repositories.module.js';
import { GitController } from './git.controller.js';
import { RepositoriesController } from './repositories.controller.js';
import { RepositoryFilesController } from './repository-files.controller.js';
import { RepositoryViews } from './repository-views.js';

@Module({
  imports: [RepositoriesModule],
  providers: [ExportedRepositories, RepositoryViews],
  controllers: [GitController, RepositoriesController, RepositoryFilesController],
})
export class RepositoriesHttpModule {}

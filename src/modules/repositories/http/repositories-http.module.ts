import { Module } from '@nestjs/common';
import { RepositoriesModule } from '../repositories.module.js';
import { GitController } from './git.controller.js';
import { RepositoriesController } from './repositories.controller.js';
import { RepositoryViews } from './repository-views.js';

@Module({
  imports: [RepositoriesModule],
  providers: [RepositoryViews],
  controllers: [GitController, RepositoriesController],
})
export class RepositoriesHttpModule {}

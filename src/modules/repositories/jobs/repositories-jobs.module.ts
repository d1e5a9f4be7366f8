import { Module } from '@nestjs/common';
import { GithubModule } from '../../github/github.module.js';
import { RepositoriesPersistenceModule } from '../persistence/repositories-persistence.module.js';
import { RepositoriesModule } from '../repositories.module.js';
import { GithubEventProcessor } from './github-event.processor.js';
import { RepositoriesOrgDeletedProcessor } from './repositories-org-deleted.processor.js';
import { RepositoriesSweeper } from './repositories.sweeper.js';

@Module({
  imports: [GithubModule, RepositoriesModule, RepositoriesPersistenceModule],
  providers: [GithubEventProcessor, RepositoriesOrgDeletedProcessor, RepositoriesSweeper],
})
export class RepositoriesJobsModule {}

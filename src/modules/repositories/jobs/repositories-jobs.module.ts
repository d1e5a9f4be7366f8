import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { GithubModule } from '../../github/github.module.js';
import { githubEvent } from '../../github/github-event.job.js';
import { RepositoriesModule } from '../repositories.module.js';
import { GithubEventProcessor } from './github-event.processor.js';
import { RepositoriesSweeper } from './repositories.sweeper.js';

@Module({ imports: [GithubModule, RepositoriesModule], providers: [GithubEventProcessor, RepositoriesSweeper] })
export class RepositoriesJobsModule implements OnApplicationBootstrap {
  constructor(
    private readonly workers: QueueWorkers,
    private readonly events: GithubEventProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.workers.start(githubEvent, this.events);
  }
}

import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { GithubModule } from '../../github/github.module.js';
import { githubEventQueue } from '../../github/github-event.queue.js';
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
    this.workers.start(githubEventQueue, this.events);
  }
}

import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { GithubClient } from './client/github-client.js';
import { GithubDeliveries } from './github-deliveries.js';
import { GithubInstallations } from './github-installations.js';
import { GITHUB_METRICS } from './metrics/github.metrics.js';
import { GithubRepositories } from './github-repositories.js';
import { LinkState } from './installations/link-state.js';
import { GithubInstallationsStore } from './persistence/github-installations.store.js';

@Module({
  imports: [OrgDirectoryModule],
  providers: [
    GithubClient,
    GithubDeliveries,
    GithubInstallations,
    GithubInstallationsStore,
    GithubRepositories,
    LinkState,
    ...GITHUB_METRICS,
  ],
  exports: [GithubDeliveries, GithubInstallations, GithubRepositories],
})
export class GithubModule {}

import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { GithubClient } from './client/github-client.js';
import { GithubDeliveries } from './github-deliveries.js';
import { GithubInstallations } from './github-installations.js';
import { GITHUB_METRICS } from './metrics/github.metrics.js';
import { GithubRepositories } from './github-repositories.js';
import { GithubReports } from './github-reports.js';
import { AccountOwnership } from './installations/account-ownership.js';
import { GithubLinks } from './installations/github-links.js';
import { LinkState } from './installations/link-state.js';
import { GithubCommentsStore } from './persistence/github-comments.store.js';
import { GithubInstallationsStore } from './persistence/github-installations.store.js';

@Module({
  imports: [OrgDirectoryModule],
  providers: [
    AccountOwnership,
    GithubClient,
    GithubDeliveries,
    GithubInstallations,
    GithubInstallationsStore,
    GithubLinks,
    GithubCommentsStore,
    GithubReports,
    GithubRepositories,
    LinkState,
    ...GITHUB_METRICS,
  ],
  exports: [GithubDeliveries, GithubInstallations, GithubLinks, GithubReports, GithubRepositories],
})
export class GithubModule {}

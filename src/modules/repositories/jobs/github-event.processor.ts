import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import type { GithubEventPayload } from '../../github/github-event.job.js';
import { GithubInstallations } from '../../github/github-installations.js';
import { messageOf } from '../domain/commit-facts.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import { repositoryPushedEvent } from '../repository-pushed.job.js';
import { githubEventSubscription } from './repositories.job.js';

const MAX_BRANCHES = 1_000;

/** Processes the events of GitHub. Events of installations that no organization has connected are ignored. */
@Injectable()
@Handles(githubEventSubscription)
export class GithubEventProcessor implements JobHandler<GithubEventPayload> {
  constructor(
    private readonly database: Database,
    private readonly installations: GithubInstallations,
    private readonly repositories: RepositoriesStore,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async handle(event: GithubEventPayload): Promise<void> {
    await this.database.transaction(async () => {
      const orgId = await this.installations.ownerOf(event.installationId);
      if (orgId === null) return;
      switch (event.kind) {
        case 'push':
          return this.pushed(orgId, event);
        case 'installation':
          return this.installations.changed(event.installationId, event.action ?? '');
        case 'installation_repositories':
          return this.repositories.forgetRemote(orgId, event.removedRepositoryIds ?? [], this.clock.now());
      }
    });
  }

  /**
   * Publishes the push like one to a repository of this service. Projects may also link GitHub repositories that this
   * service has not created.
   */
  private async pushed(
    orgId: string,
    { repositoryId, cloneUrl, branch, commitSha, commitMessage }: GithubEventPayload,
  ): Promise<void> {
    if (repositoryId === undefined || cloneUrl === undefined || branch === undefined) return;
    const known = await this.repositories.findByRemote(orgId, repositoryId);
    if (known !== null) await this.recordBranch(known.id, { branch, commitSha: commitSha ?? null, commitMessage });
    // The repository or its account was renamed.
    if (known !== null && known.cloneUrl !== cloneUrl) await this.repositories.update(known.id, { cloneUrl });
    await this.outbox.publish(repositoryPushedEvent, {
      repositoryId: known?.id ?? `github:${repositoryId}`,
      orgId,
      repoUrl: cloneUrl,
      branch,
      commitSha: commitSha ?? null,
      pusherId: null,
    });
  }

  /** GitHub allows any number of branches, of which a bounded number is kept. */
  private async recordBranch(
    repositoryId: string,
    {
      branch,
      commitSha,
      commitMessage,
    }: { branch: string; commitSha: string | null; commitMessage: string | undefined },
  ): Promise<void> {
    if ((await this.repositories.countBranches(repositoryId)) >= MAX_BRANCHES && commitSha !== null) return;
    await this.repositories.setBranch(repositoryId, branch, commitSha, this.clock.now());
    if (commitSha === null || commitMessage === undefined) return;
    const commit = { sha: commitSha, message: messageOf(commitMessage), committedAt: null };
    await this.repositories.describe(repositoryId, [commit]);
  }
}

import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { GithubSettings } from '../../github/github.settings.js';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Scope } from '../../auth/scopes.js';
import { PLANS } from '../../plans/plan.js';
import { GithubRepositories } from '../../github/github-repositories.js';
import { Directories } from '../git/directories.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import { Repository } from '../persistence/repository.entity.js';
import { RepositoryNotFound, TooManyRepositories } from '../repositories.errors.js';
import { RepositoryUrls } from './repository-urls.js';
import type { Provider } from '../domain/provider.js';
import { REPOSITORY_ID } from '../repositories.ids.js';
import type { TemplateName } from '../domain/template-name.js';

export interface CreateRepositoryInput {
  readonly name: string;
  /** Undefined: it begins empty. */
  readonly template?: TemplateName;
}

export interface CreateGithubRepositoryInput {
  readonly name: string;
  readonly template: TemplateName;
  /** Undefined: the only one that is connected. */
  readonly account: string | undefined;
  readonly isPrivate: boolean;
}

/** Where a repository of this service is on this machine. */
export interface LocatedRepository {
  readonly repositoryId: string;
  /**
   * Of the bare repository, to be read and never written. It belongs to another user, so that git reads it only with
   * `safe.directory` set in a file that `GIT_CONFIG_GLOBAL` names (git takes that setting from no other place).
   */
  readonly path: string;
}

@Injectable()
export class RepositoriesService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly githubSettings: GithubSettings,
    private readonly database: Database,
    private readonly repositories: RepositoriesStore,
    private readonly directories: Directories,
    private readonly urls: RepositoryUrls,
    private readonly github: GithubRepositories,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a repository of the organization of the call, with the files of a template as its first commit.
   *
   * @throws {TooManyRepositories} `plan_limit_reached`
   * @throws {RepositoryNameTaken} `already_exists`
   */
  create(call: Call, { name, template }: CreateRepositoryInput): Promise<Repository> {
    return this.database.transaction(async () => {
      const repository = await this.insert(call, { name, template: template ?? null, provider: 'service' });
      await this.record(call, 'repository.created', repository);
      // Should we be killed in between, the directory is made when it is first needed.
      await this.database.afterCommit(() => this.directories.ensure(repository));
      return repository;
    });
  }

  /**
   * The same at GitHub, in an account that the organization has connected. The name is taken here first, so that of two
   * calls at once one alone asks GitHub; should we be killed in between, a sweeper gives it free.
   *
   * @throws as {@link create}.
   * @throws {GithubNotConfigured} `integration_not_configured`
   * @throws {GithubNotConnected} `github_not_connected`
   * @throws {GithubRefused} `upstream_error`
   */
  async createAtGithub(
    call: Call,
    { name, template, account, isPrivate }: CreateGithubRepositoryInput,
  ): Promise<Repository> {
    const installation = await this.github.accountOf(call.org.id, account);
    const repository = await this.database.transaction(() => this.insert(call, { name, template, provider: 'github' }));
    try {
      const made = await this.github.create(installation, { template, name, isPrivate });
      const provisioned = repository.provisioned(
        { remoteId: made.id, cloneUrl: made.clone_url, defaultBranch: made.default_branch },
        this.clock.now(),
      );
      await this.database.transaction(async () => {
        await this.repositories.update(repository.id, provisioned);
        await this.record(call, 'repository.created', repository);
      });
      return repository;
    } catch (error) {
      await this.repositories.update(repository.id, { deletedAt: this.clock.now(), removedAt: this.clock.now() });
      throw error;
    }
  }

  /**
   * What {@link createAtGithub} would refuse here, before it asks GitHub; the row is of a transaction that is undone.
   */
  rehearseAtGithub(call: Call, { name, template, account }: CreateGithubRepositoryInput): Promise<Repository> {
    return this.database.rehearse(async () => {
      const { account: owner } = await this.github.accountOf(call.org.id, account);
      const repository = await this.insert(call, { name, template, provider: 'github' });
      repository.cloneUrl = `${this.githubSettings.app!.url}/${owner}/${name}.git`;
      return repository;
    });
  }

  /** Those of the organization of the call, the newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Repository>> {
    return this.repositories.list(org.id, page);
  }

  /**
   * For somebody who has this right in the repository's organization.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string, scope: Scope): Promise<Repository> {
    const repository = await this.repositories.find(id, principal.orgIds);
    if (repository === null) throw new RepositoryNotFound();
    principal.require(scope, repository.orgId);
    return repository;
  }

  /** For good, with all that is in it; its name is free. What lies at GitHub stays there. @throws as {@link get}. */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      await this.get(call, id, 'repositories:write');
      const repository = await this.repositories.findForChange(id, call.principal.orgIds);
      if (repository === null) throw new RepositoryNotFound();
      const now = this.clock.now();
      const isOurs = repository.provider === 'service';
      await this.repositories.update(id, { deletedAt: now, removedAt: isOurs ? null : now });
      await this.record(call, 'repository.deleted', repository);
      if (isOurs) await this.database.afterCommit(() => this.directories.removeIfPossible(repository));
    });
  }

  /**
   * The bare repository on this machine that an address of ours names, if it belongs to the organization; null for an
   * address of another host.
   *
   * @throws {RepositoryNotFound} `repository_not_found`: the address is ours, and names none of the organization.
   */
  async locate(orgId: string, repoUrl: string): Promise<LocatedRepository | null> {
    const named = this.urls.read(repoUrl);
    if (named === undefined) return null;
    if (named === null || (named.org !== orgId && named.org !== (await this.owners.slugOf(orgId))))
      throw new RepositoryNotFound();
    const repository = await this.repositories.findByName(orgId, named.name);
    if (repository === null) throw new RepositoryNotFound();
    await this.directories.ensure(repository);
    return { repositoryId: repository.id, path: this.directories.pathOf(repository) };
  }

  /** With the running transaction. */
  private async insert(
    call: Call,
    { name, template, provider }: { name: string; template: TemplateName | null; provider: Provider },
  ): Promise<Repository> {
    const orgId = call.org.id;
    await this.requireRoom(call, orgId);
    const repository = Repository.requested(
      { name, template, provider },
      { id: this.ids.next(REPOSITORY_ID), orgId, at: this.clock.now() },
    );
    await this.repositories.insert(repository);
    return repository;
  }

  /** Under the lock of the organization, so that of creations at once each counts those before it. */
  private async requireRoom(call: Call, orgId: string): Promise<void> {
    const plan = PLANS[await this.owners.lockAndGetPlan(call, orgId)];
    if ((await this.repositories.count(orgId)) >= plan.repositories)
      throw new TooManyRepositories(plan, plan.repositories, this.planSettings.pricingUrl);
  }

  private record(
    call: Call,
    action: `repository.${string}`,
    { id, orgId, name, template, provider }: Repository,
  ): Promise<void> {
    return this.owners.record(
      {
        orgId,
        action,
        target: { type: 'repository', id },
        details: { name, provider, ...(template === null ? {} : { template }) },
      },
      call,
    );
  }
}

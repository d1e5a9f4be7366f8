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
  /** Undefined for an empty repository. */
  readonly template?: TemplateName;
}

export interface CreateGithubRepositoryInput {
  readonly name: string;
  readonly template: TemplateName;
  /** Undefined for the only connected account. */
  readonly account: string | undefined;
  readonly isPrivate: boolean;
}

/** The location of a repository on this machine. */
export interface LocatedRepository {
  readonly repositoryId: string;
  /**
   * The path of the bare repository, to be read and never written. It belongs to another user, so that git reads it
   * only with `safe.directory` set in a file that `GIT_CONFIG_GLOBAL` names; git accepts that setting from no other
   * place.
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
   * Creates a repository in the organization of the call, with the files of a template as its first commit.
   *
   * @throws {TooManyRepositories} `plan_limit_reached`
   * @throws {RepositoryNameTaken} `already_exists`
   */
  create(call: Call, { name, template }: CreateRepositoryInput): Promise<Repository> {
    return this.database.transaction(async () => {
      const repository = await this.insert(call, { name, template: template ?? null, provider: 'service' });
      await this.record(call, 'repository.created', repository);
      // If the process dies in between, the directory is created on first use.
      await this.database.afterCommit(() => this.directories.ensure(repository));
      return repository;
    });
  }

  /**
   * Creates a repository at GitHub, in an account that the organization has connected. The name is taken here first, so
   * that only one of two concurrent calls reaches GitHub. If the process dies in between, a sweeper releases the name.
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
      const created = await this.github.create(installation, { template, name, isPrivate });
      const provisioned = repository.provisioned(
        { remoteId: created.id, cloneUrl: created.clone_url, defaultBranch: created.default_branch },
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
   * Refuses what {@link createAtGithub} would refuse before it calls GitHub. The transaction with the row is rolled
   * back.
   */
  rehearseAtGithub(call: Call, { name, template, account }: CreateGithubRepositoryInput): Promise<Repository> {
    return this.database.rehearse(async () => {
      const { account: owner } = await this.github.accountOf(call.org.id, account);
      const repository = await this.insert(call, { name, template, provider: 'github' });
      repository.cloneUrl = `${this.githubSettings.app!.url}/${owner}/${name}.git`;
      return repository;
    });
  }

  /** Returns the repositories of the organization of the call, newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Repository>> {
    return this.repositories.list(org.id, page);
  }

  /**
   * Returns a repository. The caller needs this scope in the organization of the repository.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string, scope: Scope): Promise<Repository> {
    const repository = await this.repositories.find(id, principal.lookupOrgIds);
    if (repository === null) throw new RepositoryNotFound();
    principal.require(scope, repository.orgId);
    return repository;
  }

  /**
   * Deletes the repository and its content permanently, and releases its name. A repository at GitHub stays there.
   *
   * @throws as {@link get}.
   */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const { orgId } = await this.get(call, id, 'repositories:write');
      const repository = await this.repositories.findForChange(id, [orgId]);
      if (repository === null) throw new RepositoryNotFound();
      const now = this.clock.now();
      const isOurs = repository.provider === 'service';
      await this.repositories.update(id, { deletedAt: now, removedAt: isOurs ? null : now });
      await this.record(call, 'repository.deleted', repository);
      if (isOurs) await this.database.afterCommit(() => this.directories.removeIfPossible(repository));
    });
  }

  /**
   * Returns the bare repository of this clone URL on this machine, if it belongs to the organization. Returns null for
   * a URL of another host.
   *
   * @throws {RepositoryNotFound} `repository_not_found` when the organization has no such repository of this service.
   */
  async locate(orgId: string, repoUrl: string): Promise<LocatedRepository | null> {
    const address = this.urls.read(repoUrl);
    if (address === undefined) return null;
    if (address === null || (address.org !== orgId && address.org !== (await this.owners.slugOf(orgId))))
      throw new RepositoryNotFound();
    const repository = await this.repositories.findByName(orgId, address.name);
    if (repository === null) throw new RepositoryNotFound();
    await this.directories.ensure(repository);
    return { repositoryId: repository.id, path: this.directories.pathOf(repository) };
  }

  /** Inserts the row in the running transaction. */
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

  /** Counts under the lock of the organization, so that concurrent creations see each other. */
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

import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import { GithubClient, type RemoteRepository } from './client/github-client.js';
import { GithubSettings } from './github.settings.js';
import { GithubNameTaken, GithubNotConnected } from './github.errors.js';
import type { GithubInstallation } from './persistence/github-installation.entity.js';
import { GithubInstallationsStore } from './persistence/github-installations.store.js';

const FIRST_COMMIT_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 500;
/** The form of account and repository names at GitHub, which are never `.` or `..`. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

export type { RemoteRepository };

/** Credentials for git, which asks for them by name. */
export interface GithubCredentials {
  readonly username: string;
  readonly password: string;
}

/** A token for one repository, to be held only as long as it is used. */
export interface RepositoryAccess {
  readonly token: string;
  /** `owner/name` */
  readonly fullName: string;
}

/** Accesses the repositories of the accounts that an organization has connected. */
@Injectable()
export class GithubRepositories {
  constructor(
    private readonly settings: GithubSettings,
    private readonly github: GithubClient,
    private readonly installations: GithubInstallationsStore,
  ) {}

  /**
   * Returns the connected account of this name; without a name, the only connected account.
   *
   * @throws {GithubNotConfigured} `integration_not_configured`
   * @throws {GithubNotConnected} `github_not_connected`
   * @throws {RequestInvalid} `invalid_request` when there are several accounts and the call names none.
   */
  async accountOf(orgId: string, name: string | undefined): Promise<GithubInstallation> {
    this.github.requireConfigured();
    const usable = (await this.installations.list(orgId)).filter(({ suspendedAt }) => suspendedAt === null);
    const fitting =
      name === undefined ? usable : usable.filter(({ account }) => account.toLowerCase() === name.toLowerCase());
    if (fitting.length > 1) {
      throw new RequestInvalid([
        {
          path: 'account',
          in: 'body',
          code: 'is_in',
          message: 'The organization has connected several accounts. Set account to one of them.',
          expected: fitting.map(({ account }) => account),
        },
      ]);
    }
    if (fitting[0] === undefined) throw new GithubNotConnected(name);
    return fitting[0];
  }

  /**
   * Creates a repository from a template, and waits briefly for its first commit, which GitHub adds after it has
   * answered.
   *
   * @throws {GithubNameTaken} `already_exists`
   * @throws {GithubRefused} `upstream_error`
   */
  async create(
    { installationId, account }: GithubInstallation,
    { template, name, isPrivate }: { template: string; name: string; isPrivate: boolean },
  ): Promise<RemoteRepository> {
    const token = await this.github.installationToken(installationId, {
      permissions: { administration: 'write', contents: 'read', metadata: 'read' },
    });
    const repository = await this.github.generate(token, template, { owner: account, name, private: isPrivate });
    if (repository === null) throw new GithubNameTaken(`${account}/${name}`);
    for (let waitedMs = 0; waitedMs < FIRST_COMMIT_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
      // The repository exists, whatever this call returns.
      const commit = await this.github.branch(token, repository.full_name, repository.default_branch).catch(() => null);
      if (commit !== null) break;
      await wait(LOOK_EVERY_MS);
    }
    return repository;
  }

  /**
   * Returns credentials to read this repository, valid for at most an hour. Returns null when the organization has not
   * connected the account of the repository, which is then readable only if it is public.
   *
   * @throws {GithubRefused} `upstream_error`
   */
  async credentialsFor(orgId: string, repoUrl: string): Promise<GithubCredentials | null> {
    const access = await this.accessTo(orgId, repoUrl, { contents: 'read' });
    return access === null ? null : { username: 'x-access-token', password: access.token };
  }

  /** True when this service is an app at the host of the repository, and the URL can be one there. */
  isAtGithub(repoUrl: string): boolean {
    return this.read(repoUrl) !== null;
  }

  /**
   * Returns a token for this repository with these permissions, valid for at most an hour. Returns null when the
   * organization has not connected the account of the repository.
   *
   * @throws {GithubRefused} `upstream_error`
   */
  async accessTo(
    orgId: string,
    repoUrl: string,
    permissions: Readonly<Record<string, 'read' | 'write'>>,
  ): Promise<RepositoryAccess | null> {
    const remote = this.read(repoUrl);
    if (remote === null) return null;
    const connected = await this.installations.list(orgId);
    if (connected.length === 0) return null;
    // GitHub finds the installation even if the account was renamed after it was connected.
    const installation = await this.github.installationOf(remote);
    if (
      installation === null ||
      !connected.some(({ installationId, suspendedAt }) => installationId === installation.id && suspendedAt === null)
    )
      return null;
    const token = await this.github.installationToken(installation.id, { repositories: [remote.name], permissions });
    return { token, fullName: `${remote.owner}/${remote.name}` };
  }

  private read(repoUrl: string): { owner: string; name: string } | null {
    const { app } = this.settings;
    if (app === undefined || !URL.canParse(repoUrl)) return null;
    const url = new URL(repoUrl);
    const [owner = '', name = '', ...more] = url.pathname.slice(1).split('/');
    if (url.origin !== new URL(app.url).origin || more.length > 0) return null;
    const plain = name.replace(/\.git$/, '');
    return NAME.test(owner) && NAME.test(plain) ? { owner, name: plain } : null;
  }
}

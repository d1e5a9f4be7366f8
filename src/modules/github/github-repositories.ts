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
/** Of accounts and repositories there; never `.` or `..`. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

export type { RemoteRepository };

/** For git, which asks for them by name. */
export interface GithubCredentials {
  readonly username: string;
  readonly password: string;
}

/** What may be done with the repositories of accounts that an organization has connected. */
@Injectable()
export class GithubRepositories {
  constructor(
    private readonly settings: GithubSettings,
    private readonly github: GithubClient,
    private readonly installations: GithubInstallationsStore,
  ) {}

  /**
   * By its name; without one, the only one that the organization has connected.
   *
   * @throws {GithubNotConfigured} `integration_not_configured`
   * @throws {GithubNotConnected} `github_not_connected`
   * @throws {RequestInvalid} `invalid_request`: there are several, and the call names none.
   */
  async accountOf(orgId: string, named: string | undefined): Promise<GithubInstallation> {
    this.github.requireConfigured();
    const usable = (await this.installations.list(orgId)).filter(({ suspendedAt }) => suspendedAt === null);
    const fitting =
      named === undefined ? usable : usable.filter(({ account }) => account.toLowerCase() === named.toLowerCase());
    if (fitting.length > 1) {
      throw new RequestInvalid([
        {
          path: 'account',
          in: 'body',
          code: 'is_in',
          message: 'The organization has connected several accounts: say which.',
          expected: fitting.map(({ account }) => account),
        },
      ]);
    }
    if (fitting[0] === undefined) throw new GithubNotConnected(named);
    return fitting[0];
  }

  /**
   * Makes a repository of a template in the account, and waits a little until it has its first commit, which GitHub
   * adds after it has answered.
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
      // It is there, whatever this finds.
      const commit = await this.github.branch(token, repository.full_name, repository.default_branch).catch(() => null);
      if (commit !== null) break;
      await wait(LOOK_EVERY_MS);
    }
    return repository;
  }

  /**
   * To read this one repository, for at most an hour; null where nobody of the organization has connected what it
   * belongs to, so that it can be read only if everybody may.
   *
   * @throws {GithubRefused} `upstream_error`
   */
  async credentialsFor(orgId: string, repoUrl: string): Promise<GithubCredentials | null> {
    const named = this.read(repoUrl);
    if (named === null) return null;
    const connected = await this.installations.list(orgId);
    if (connected.length === 0) return null;
    // GitHub knows which installation sees it, whatever the account was called when it was connected.
    const installation = await this.github.installationOf(named);
    if (
      installation === null ||
      !connected.some(({ installationId, suspendedAt }) => installationId === installation.id && suspendedAt === null)
    )
      return null;
    const password = await this.github.installationToken(installation.id, {
      repositories: [named.name],
      permissions: { contents: 'read' },
    });
    return { username: 'x-access-token', password };
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

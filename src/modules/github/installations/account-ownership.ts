import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { GithubClient, type RemoteInstallation } from '../client/github-client.js';
import { GithubAccessDenied } from '../github.errors.js';

/** Verifies that a person administers the GitHub account of an installation. */
@Injectable()
export class AccountOwnership {
  constructor(
    private readonly github: GithubClient,
    private readonly log: Log,
  ) {}

  /**
   * Returns the installation if the person whose code this is administers its account.
   *
   * @throws {GithubAccessDenied} `github_access_denied`
   * @throws {GithubRefused} `upstream_error`
   */
  async prove(code: string, installationId: number): Promise<RemoteInstallation> {
    const token = await this.github.userToken(code);
    if (token === null)
      throw new GithubAccessDenied('GitHub rejected the code.', 'A code is valid once, for ten minutes. Start again.');
    try {
      const installation = await this.github.installation(installationId);
      const isTheirs = installation !== null && (await this.administers(token, installation));
      if (!isTheirs)
        throw new GithubAccessDenied(
          'You do not administer the GitHub account of this installation.',
          'Ask an owner of the account to connect it.',
        );
      return installation;
    } finally {
      await this.github.forget(token).catch((error: unknown) => {
        this.log.warn({ error }, 'The authorization of a person at GitHub could not be revoked.');
      });
    }
  }

  /**
   * Access to the installation is not enough: every collaborator of a single repository has it, and a connection opens
   * all repositories.
   */
  private async administers(token: string, { account }: RemoteInstallation): Promise<boolean> {
    return account.type === 'Organization'
      ? this.github.administers(token, account.login)
      : (await this.github.user(token)).id === account.id;
  }
}

import { Injectable } from '@nestjs/common';
import { GithubRepositories } from '../../github/github-repositories.js';
import { type RepositorySource, SourceHost } from '../source-host.js';

/** Repositories at GitHub, in accounts that organizations have connected. */
@Injectable()
export class GithubHost extends SourceHost {
  constructor(private readonly github: GithubRepositories) {
    super();
  }

  async sourceOf(orgId: string, repoUrl: string): Promise<RepositorySource | null> {
    const credentials = await this.github.credentialsFor(orgId, repoUrl);
    return credentials === null ? null : { localRepository: null, credentials };
  }
}

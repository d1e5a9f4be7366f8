import { Injectable } from '@nestjs/common';
import { GithubHost } from './hosts/github-host.js';
import { OwnHost } from './hosts/own-host.js';
import type { RepositorySource, SourceHost } from './source-host.js';

/** Determines how an organization accesses the repository of a project. */
@Injectable()
export class RepositorySources {
  private readonly hosts: readonly SourceHost[];

  constructor(own: OwnHost, github: GithubHost) {
    this.hosts = [own, github];
  }

  /** Repositories of unknown hosts are fetched without credentials. @throws as `SourceHost.sourceOf`. */
  async of(orgId: string, repoUrl: string): Promise<RepositorySource> {
    for (const host of this.hosts) {
      const source = await host.sourceOf(orgId, repoUrl);
      if (source !== null) return source;
    }
    return { localRepository: null };
  }
}

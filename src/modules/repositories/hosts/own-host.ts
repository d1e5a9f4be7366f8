import { Injectable } from '@nestjs/common';
import { RepositoriesService } from '../hosted/repositories.service.js';
import { type RepositorySource, SourceHost } from '../source-host.js';

/** Repositories on this machine. */
@Injectable()
export class OwnHost extends SourceHost {
  constructor(private readonly repositories: RepositoriesService) {
    super();
  }

  async sourceOf(orgId: string, repoUrl: string): Promise<RepositorySource | null> {
    const located = await this.repositories.locate(orgId, repoUrl);
    return located === null ? null : { localRepository: located.path };
  }
}

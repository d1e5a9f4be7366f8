import { Injectable } from '@nestjs/common';
import type { Page } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { RepositoryBranches } from '../hosted/repository-branches.js';
import { RepositoryUrls } from '../hosted/repository-urls.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoryView } from './repositories.dto.js';

/** Shows repositories with their clone URL and last push. */
@Injectable()
export class RepositoryViews {
  constructor(
    private readonly urls: RepositoryUrls,
    private readonly branches: RepositoryBranches,
  ) {}

  async of(call: Call, repository: Repository): Promise<RepositoryView> {
    return (await this.allOf(call, [repository]))[0]!;
  }

  async page(call: Call, { items, next }: Page<Repository>): Promise<Page<RepositoryView>> {
    return { items: await this.allOf(call, items), next };
  }

  private async allOf(call: Call, repositories: readonly Repository[]): Promise<RepositoryView[]> {
    const pushes = await this.branches.lastPushesOf(repositories.map(({ id }) => id));
    return repositories.map((each) => RepositoryView.of(each, this.urlOf(call, each), pushes.get(each.id)));
  }

  /** The caller is a member of the organization, so that its slug is known. */
  private urlOf({ principal }: Call, { orgId, name, cloneUrl }: Repository): string {
    return cloneUrl ?? this.urls.with(principal.membershipIn(orgId)?.slug ?? orgId, name);
  }
}

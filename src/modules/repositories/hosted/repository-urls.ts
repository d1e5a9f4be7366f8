import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Repository } from '../persistence/repository.entity.js';

interface NamedRepository {
  /** Slug or id. */
  readonly org: string;
  readonly name: string;
}

/** What the repositories of this service are cloned by: `PUBLIC_URL` + `/git/<organization>/<name>.git`. */
@Injectable()
export class RepositoryUrls {
  constructor(
    private readonly config: Config,
    private readonly orgs: OrgDirectory,
  ) {}

  /** With the slug that the organization has now, else with its id. */
  async of({ orgId, name }: Pick<Repository, 'orgId' | 'name'>): Promise<string> {
    return this.with((await this.orgs.slugOf(orgId)) ?? orgId, name);
  }

  with(slug: string, name: string): string {
    return `${this.config.publicUrl}/git/${slug}/${name}.git`;
  }

  /** What an address names here; undefined for one of another host, null for one of ours that can name nothing. */
  read(repoUrl: string): NamedRepository | null | undefined {
    const url = URL.canParse(repoUrl) ? new URL(repoUrl) : undefined;
    const own = new URL(`${this.config.publicUrl}/git/`);
    if (url?.origin !== own.origin || !url.pathname.startsWith(own.pathname)) return undefined;
    const [org = '', name = '', ...more] = url.pathname.slice(own.pathname.length).split('/');
    return org === '' || name === '' || more.length > 0 ? null : { org, name: name.replace(/\.git$/, '') };
  }
}

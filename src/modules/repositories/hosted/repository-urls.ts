import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Repository } from '../persistence/repository.entity.js';

interface NamedRepository {
  /** The slug or id of the organization. */
  readonly org: string;
  readonly name: string;
}

/** Builds and parses the clone URLs of this service: `PUBLIC_URL` + `/git/<organization>/<name>.git`. */
@Injectable()
export class RepositoryUrls {
  constructor(
    private readonly config: Config,
    private readonly orgs: OrgDirectory,
  ) {}

  /** Uses the current slug of the organization, or its id if it has none. */
  async of({ orgId, name }: Pick<Repository, 'orgId' | 'name'>): Promise<string> {
    return this.with((await this.orgs.slugOf(orgId)) ?? orgId, name);
  }

  with(slug: string, name: string): string {
    return `${this.config.publicUrl}/git/${slug}/${name}.git`;
  }

  /** Parses a clone URL. Returns undefined for another host, and null for a URL of this service that cannot exist. */
  read(repoUrl: string): NamedRepository | null | undefined {
    const url = URL.canParse(repoUrl) ? new URL(repoUrl) : undefined;
    const own = new URL(`${this.config.publicUrl}/git/`);
    if (url?.origin !== own.origin || !url.pathname.startsWith(own.pathname)) return undefined;
    const [org = '', name = '', ...more] = url.pathname.slice(own.pathname.length).split('/');
    return org === '' || name === '' || more.length > 0 ? null : { org, name: name.replace(/\.git$/, '') };
  }
}

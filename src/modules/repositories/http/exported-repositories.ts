import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { RepositoriesService } from '../hosted/repositories.service.js';
import type { RepositoryView } from './repositories.dto.js';
import { RepositoryViews } from './repository-views.js';

/** The repositories of the personal organization. Their content is cloned with git. */
@Injectable()
@ExportedAs('repository')
export class ExportedRepositories implements PersonalDataSource {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly views: RepositoryViews,
  ) {}

  async *read(call: Call): AsyncIterable<readonly RepositoryView[]> {
    const list = allPages(async (page) => this.views.page(call, await this.repositories.list(call, page)));
    for await (const repositories of list) yield repositories;
  }
}

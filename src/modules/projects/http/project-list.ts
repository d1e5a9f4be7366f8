import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { LastDeploys } from '../last-deploys.js';
import { ProjectsService } from '../projects.service.js';
import { ListedProjectView } from './projects.dto.js';

/** Lists projects together with their last deploys, which belong to another module. */
@Injectable()
export class ProjectList {
  constructor(
    private readonly projects: ProjectsService,
    private readonly deploys: LastDeploys,
  ) {}

  async page(call: Call, request: PageRequest): Promise<Page<ListedProjectView>> {
    const page = await this.projects.list(call, request);
    const maySee = call.principal.rightsIn(call.org.id).has('deploys:read');
    const last = maySee ? await this.deploys.of(page.items.map(({ id }) => id)) : new Map<string, never>();
    return { ...page, items: page.items.map((project) => ListedProjectView.listed(project, last.get(project.id))) };
  }
}

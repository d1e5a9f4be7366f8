import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, PersonalData, type PersonalDataSource } from '../../auth/personal-data.js';
import { ProjectsService } from '../projects.service.js';
import { ProjectView } from './projects.dto.js';

/** The projects of the personal organization, without the values of their variables. */
@Injectable()
export class ExportedProjects implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'project';

  constructor(
    private readonly data: PersonalData,
    private readonly projects: ProjectsService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  async *read(call: Call): AsyncIterable<ProjectView[]> {
    for await (const projects of allPages((page) => this.projects.list(call, page)))
      yield projects.map((project) => ProjectView.of(project));
  }
}

import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { ProjectsService } from '../projects.service.js';
import { ProjectView } from './projects.dto.js';

/** The projects of the personal organization, without the values of their variables. */
@Injectable()
@ExportedAs('project')
export class ExportedProjects implements PersonalDataSource {
  constructor(private readonly projects: ProjectsService) {}

  async *read(call: Call): AsyncIterable<ProjectView[]> {
    for await (const projects of allPages((page) => this.projects.list(call, page)))
      yield projects.map((project) => ProjectView.of(project));
  }
}

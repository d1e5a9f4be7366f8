import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeploysService } from '../requests/deploys.service.js';
import { DeployViews } from './deploy-views.js';
import type { DeployView } from './deploys.dto.js';

/** The deploys of all projects of the personal organization, without their files. */
@Injectable()
@ExportedAs('deploy')
export class ExportedDeploys implements PersonalDataSource {
  constructor(
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysService,
    private readonly views: DeployViews,
  ) {}

  async *read(call: Call): AsyncIterable<DeployView[]> {
    for await (const projects of allPages((page) => this.projects.list(call, page)))
      for (const { id } of projects) yield* this.ofProject(call, id);
  }

  private async *ofProject(call: Call, projectId: string): AsyncIterable<DeployView[]> {
    for await (const deploys of allPages((page) => this.deploys.list(call, projectId, {}, page)))
      yield await this.views.ofAll(deploys);
  }
}

import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { ProjectSettingsService } from '../requests/project-settings.service.js';
import { ProjectSettingsAnswer, ProjectSettingsView } from './project-settings.dto.js';

@ApiTags('projects')
@Controller('api/v1/projects/:project_id/settings')
export class ProjectSettingsController {
  constructor(private readonly settings: ProjectSettingsService) {}

  @Get()
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns the settings that builds and servers of a project use, with where each comes from.',
    description:
      'Settings that the project does not set come from the build of the production deploy or, without one, of the ' +
      'latest ready deploy. Set them with `PATCH /api/v1/projects/{project_id}`.',
  })
  @ApiOkResponse({ type: ProjectSettingsAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async get(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
  ): Promise<Envelope<ProjectSettingsView>> {
    return new Envelope(ProjectSettingsView.of(await this.settings.of(call, projectIdOrSlug)));
  }
}

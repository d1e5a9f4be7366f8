import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { PROJECT_ERRORS } from '../projects.errors.js';
import { ProjectsService } from '../projects.service.js';
import { ProjectInputs } from './project-inputs.js';
import { ProjectList } from './project-list.js';
import {
  ChangeProjectBody,
  CreateProjectBody,
  type ListedProjectView,
  ProjectAnswer,
  ProjectPageAnswer,
  ProjectView,
} from './projects.dto.js';

@ApiTags('projects')
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly inputs: ProjectInputs,
    private readonly lists: ProjectList,
  ) {}

  @Post()
  @RequireScope('projects:write')
  @TakesJson()
  @ApiOperation({ summary: 'Creates a project in the organization of the call. A repository can be linked later.' })
  @ApiCreatedResponse({ type: ProjectAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PLAN_ERRORS.plan_limit_reached,
    PLAN_ERRORS.feature_not_in_plan,
    GENERIC_ERRORS.already_exists,
  )
  async create(@Caller() call: Call, @Body() body: CreateProjectBody): Promise<Envelope<ProjectView>> {
    return new Envelope(ProjectView.of(await this.projects.create(call, this.inputs.ofCreation(body))));
  }

  @Get()
  @RequireScope('projects:read')
  @ApiOperation({
    summary: 'Lists the projects of the organization of the call, newest first.',
    description: 'Each has its last deploy, if the caller may read deploys.',
  })
  @ApiOkResponse({ type: ProjectPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<ListedProjectView[]>> {
    return pageEnvelope(await this.lists.page(call, query.page), (project) => project);
  }

  @Get(':project_id')
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a project by its id, or by its slug within the organization of the call.' })
  @ApiOkResponse({ type: ProjectAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async get(@Caller() call: Call, @Param('project_id') idOrSlug: string): Promise<Envelope<ProjectView>> {
    return new Envelope(ProjectView.of(await this.projects.get(call, idOrSlug, 'projects:read')));
  }

  @Patch(':project_id')
  @RequireScope('projects:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary:
      'Updates a project. Absent fields stay the same. Null clears a field; `repo_url: null` unlinks the repository.',
  })
  @ApiOkResponse({ type: ProjectAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PROJECT_ERRORS.project_not_found,
    PLAN_ERRORS.feature_not_in_plan,
    GENERIC_ERRORS.already_exists,
  )
  async change(
    @Caller() call: Call,
    @Param('project_id') idOrSlug: string,
    @Body() body: ChangeProjectBody,
  ): Promise<Envelope<ProjectView>> {
    return new Envelope(ProjectView.of(await this.projects.change(call, idOrSlug, this.inputs.ofChange(body))));
  }

  @Delete(':project_id')
  @RequireScope('projects:delete', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a project and its environment variables permanently.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PROJECT_ERRORS.project_not_found)
  async delete(@Caller() call: Call, @Param('project_id') idOrSlug: string): Promise<void> {
    await this.projects.delete(call, idOrSlug);
  }
}

import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { GITHUB_ERRORS } from '../../github/github.errors.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { REPOSITORY_ERRORS } from '../repositories.errors.js';
import { type CreateGithubRepositoryInput, RepositoriesService } from '../hosted/repositories.service.js';
import { RepositoryBranches } from '../hosted/repository-branches.js';
import { TEMPLATES } from '../domain/template-name.js';
import {
  BranchesQuery,
  BranchPageAnswer,
  BranchView,
  CREATE_REPOSITORY_EXAMPLES,
  CreateRepositoryBody,
  RepositoryAnswer,
  RepositoryPageAnswer,
  type RepositoryView,
  TEMPLATE_VIEWS,
  TemplatesAnswer,
  type TemplateView,
} from './repositories.dto.js';
import { RepositoryViews } from './repository-views.js';

@ApiTags('repositories')
@Controller('api/v1/repositories')
export class RepositoriesController {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly views: RepositoryViews,
    private readonly branchList: RepositoryBranches,
  ) {}

  @Post()
  @RequireScope('repositories:write')
  @TakesJson({ actsOutside: ({ provider }) => provider === 'github' })
  @ApiOperation({ summary: 'Creates a repository in the organization of the call, empty or from a template.' })
  @ApiBody({ type: CreateRepositoryBody, examples: CREATE_REPOSITORY_EXAMPLES })
  @ApiCreatedResponse({ type: RepositoryAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PLAN_ERRORS.plan_limit_reached,
    GENERIC_ERRORS.already_exists,
    GENERIC_ERRORS.integration_not_configured,
    GITHUB_ERRORS.github_not_connected,
    GENERIC_ERRORS.upstream_error,
  )
  async create(
    @Caller() call: Call,
    @Body() body: CreateRepositoryBody,
    @DryRun() isDryRun: boolean,
  ): Promise<Envelope<RepositoryView>> {
    if (body.provider !== 'github')
      return new Envelope(await this.views.of(call, await this.repositories.create(call, body)));
    const repository = await (isDryRun
      ? this.repositories.rehearseAtGithub(call, githubInputOf(body))
      : this.repositories.createAtGithub(call, githubInputOf(body)));
    return new Envelope(await this.views.of(call, repository), isDryRun ? { dry_run: true } : {});
  }

  @Get()
  @RequireScope('repositories:read')
  @ApiOperation({ summary: 'Lists the repositories of the organization of the call, newest first.' })
  @ApiOkResponse({ type: RepositoryPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<RepositoryView[]>> {
    const page = await this.repositories.list(call, query.page);
    return pageEnvelope(await this.views.page(call, page), (view) => view);
  }

  @Get('templates')
  @RequireScope('repositories:read')
  @ApiOperation({ summary: 'Lists the templates of repositories.' })
  @ApiOkResponse({ type: TemplatesAnswer })
  @ApiRefusals(...ANY_CALLER)
  templates(): Envelope<readonly TemplateView[]> {
    return new Envelope(TEMPLATE_VIEWS);
  }

  @Get(':repository_id')
  @RequireScope('repositories:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a repository.' })
  @ApiOkResponse({ type: RepositoryAnswer })
  @ApiRefusals(...ANY_CALLER, REPOSITORY_ERRORS.repository_not_found)
  async get(@Caller() call: Call, @Param('repository_id') id: string): Promise<Envelope<RepositoryView>> {
    return new Envelope(await this.views.of(call, await this.repositories.get(call, id, 'repositories:read')));
  }

  @Get(':repository_id/branches')
  @RequireScope('repositories:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the branches of a repository by name, each with its commit.',
    description:
      'Shows what the last push has left; the first 1,000 branches are known. At GitHub, it shows the branches that ' +
      'were pushed since the repository was created here.',
  })
  @ApiOkResponse({ type: BranchPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, REPOSITORY_ERRORS.repository_not_found)
  async branches(
    @Caller() call: Call,
    @Param('repository_id') id: string,
    @Query() query: BranchesQuery,
  ): Promise<Envelope<BranchView[]>> {
    return pageEnvelope(await this.branchList.list(call, id, query.page), (branch) => BranchView.of(branch));
  }

  @Delete(':repository_id')
  @RequireScope('repositories:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a repository and its content permanently.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, REPOSITORY_ERRORS.repository_not_found)
  async delete(@Caller() call: Call, @Param('repository_id') id: string): Promise<void> {
    await this.repositories.delete(call, id);
  }
}

function githubInputOf({
  name,
  template,
  account,
  private: isPrivate = true,
}: CreateRepositoryBody): CreateGithubRepositoryInput {
  if (template !== undefined) return { name, template, account, isPrivate };
  throw new RequestInvalid([
    {
      path: 'template',
      in: 'body',
      code: 'is_defined',
      message: 'A repository at GitHub needs a template. Set template to one of the listed values.',
      expected: TEMPLATES,
    },
  ]);
}

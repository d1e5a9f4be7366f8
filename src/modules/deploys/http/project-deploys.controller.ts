import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { UPLOAD_ERRORS } from '../../uploads/uploads.errors.js';
import { DeployRequests } from '../requests/deploy-requests.js';
import { DEPLOY_ERRORS } from '../deploys.errors.js';
import { DeploysService } from '../requests/deploys.service.js';
import { LiveDeploys } from '../requests/live-deploys.js';
import { DeployViews } from './deploy-views.js';
import {
  CREATE_DEPLOY_EXAMPLES,
  CreateDeployBody,
  DeployAnswer,
  DeployPageAnswer,
  DeploysQuery,
  type DeployView,
  RollBackBody,
} from './deploys.dto.js';

@ApiTags('deploys')
@Controller('api/v1/projects/:project_id')
export class ProjectDeploysController {
  constructor(
    private readonly requests: DeployRequests,
    private readonly deploys: DeploysService,
    private readonly live: LiveDeploys,
    private readonly views: DeployViews,
  ) {}

  @Post('deploys')
  @RequireScope('deploys:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @RequireFeature('deploys')
  @TakesJson()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Creates a deploy of a branch of the linked repository, or of an upload.',
    description:
      'The deploy is queued and starts when it is its turn. Older deploys of the same branch and type that still ' +
      'wait are skipped. `type: production` also needs the scope `deploys:production` and a plan that includes it.',
  })
  @ApiBody({ type: CreateDeployBody, examples: CREATE_DEPLOY_EXAMPLES })
  @ApiAcceptedResponse({ type: DeployAnswer, description: 'The deploy is queued.' })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    OPERATOR_ERRORS.feature_disabled,
    PROJECT_ERRORS.project_not_found,
    DEPLOY_ERRORS.project_has_no_repository,
    UPLOAD_ERRORS.upload_not_found,
    UPLOAD_ERRORS.upload_incomplete,
    PLAN_ERRORS.feature_not_in_plan,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    ACCESS_ERRORS.email_not_verified,
    DEPLOY_ERRORS.storage_limit_reached,
  )
  async create(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { input }: CreateDeployBody,
  ): Promise<Envelope<DeployView>> {
    return new Envelope(await this.views.of(await this.requests.request(call, projectIdOrSlug, input)));
  }

  @Get('deploys')
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the deploys of a project, newest first.' })
  @ApiOkResponse({ type: DeployPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, PROJECT_ERRORS.project_not_found)
  async list(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Query() query: DeploysQuery,
  ): Promise<Envelope<DeployView[]>> {
    const page = await this.deploys.list(call, projectIdOrSlug, query.filter, query.page);
    const views = await this.views.ofAll(page.items);
    return pageEnvelope({ items: views, next: page.next }, (view) => view);
  }

  @Post('rollback')
  @RequireScope('deploys:production', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Rolls production back to an earlier deploy.',
    description:
      'Nothing is built: the deploy keeps the environment that it was built with. Production stays there until the ' +
      'next promote, whatever is deployed meanwhile. Needs `deploys:write` as well.',
  })
  @ApiOkResponse({ type: DeployAnswer, description: 'The deploy that is now in production.' })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PROJECT_ERRORS.project_not_found,
    DEPLOY_ERRORS.deploy_not_found,
    DEPLOY_ERRORS.deploy_not_ready,
    DEPLOY_ERRORS.no_earlier_deploy,
    PLAN_ERRORS.feature_not_in_plan,
    ACCESS_ERRORS.email_not_verified,
  )
  async rollBack(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { deploy_id: deployId }: RollBackBody,
  ): Promise<Envelope<DeployView>> {
    return new Envelope(await this.views.of(await this.live.rollBack(call, projectIdOrSlug, deployId)));
  }
}

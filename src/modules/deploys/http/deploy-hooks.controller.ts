import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DEPLOY_ERRORS } from '../deploys.errors.js';
import { DeployHooksService } from '../hooks/deploy-hooks.service.js';
import {
  CreateDeployHookBody,
  DeployHooksAnswer,
  DeployHookView,
  IssuedDeployHookAnswer,
  IssuedDeployHookView,
} from './deploy-hooks.dto.js';

@ApiTags('deploys')
@Controller('api/v1/projects/:project_id/deploy-hooks')
export class DeployHooksController {
  constructor(private readonly hooks: DeployHooksService) {}

  @Post()
  @RequireScope('deploys:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson()
  @HttpCode(HttpStatus.CREATED)
  @ApiOperation({
    summary: 'Creates a secret URL that deploys a branch.',
    description:
      'A POST to the URL needs no key, so that a content management system or a timer can deploy. ' +
      'The URL is returned only once. A hook of the production branch also needs `deploys:production`.',
  })
  @ApiCreatedResponse({ type: IssuedDeployHookAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PROJECT_ERRORS.project_not_found, ACCESS_ERRORS.email_not_verified)
  async create(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { input }: CreateDeployHookBody,
  ): Promise<Envelope<IssuedDeployHookView>> {
    return new Envelope(IssuedDeployHookView.issued(await this.hooks.create(call, projectIdOrSlug, input)));
  }

  @Get()
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the deploy hooks of a project, oldest first, without their URLs.' })
  @ApiOkResponse({ type: DeployHooksAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async list(@Caller() call: Call, @Param('project_id') projectIdOrSlug: string): Promise<Envelope<DeployHookView[]>> {
    return new Envelope((await this.hooks.list(call, projectIdOrSlug)).map((hook) => DeployHookView.of(hook)));
  }

  @Delete(':hook_id')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a deploy hook. Its URL stops working at once.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PROJECT_ERRORS.project_not_found, DEPLOY_ERRORS.deploy_hook_not_found)
  async delete(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('hook_id') hookId: string,
  ): Promise<void> {
    await this.hooks.delete(call, projectIdOrSlug, hookId);
  }
}

import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DEPLOY_ERRORS } from '../deploys.errors.js';
import { ProjectProtectionService } from '../protection/project-protection.service.js';
import {
  AccessLinkAnswer,
  AccessLinkView,
  ChangeProtectionBody,
  CreateAccessLinkBody,
  CreateShareLinkBody,
  ProtectionAnswer,
  ProtectionView,
} from './protection.dto.js';

@ApiTags('deploys')
@Controller('api/v1')
export class ProtectionController {
  constructor(private readonly protection: ProjectProtectionService) {}

  @Get('projects/:project_id/protection')
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns who may open the hosts of a project.' })
  @ApiOkResponse({ type: ProtectionAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async get(@Caller() call: Call, @Param('project_id') projectIdOrSlug: string): Promise<Envelope<ProtectionView>> {
    return new Envelope(ProtectionView.of(await this.protection.get(call, projectIdOrSlug)));
  }

  @Patch('projects/:project_id/protection')
  @RequireScope('projects:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Changes who may open the hosts of a project.',
    description:
      'Fields that are absent stay the same. Each change revokes all links and cookies that were issued before. ' +
      'A password that no mode needs any more is deleted.',
  })
  @ApiOkResponse({ type: ProtectionAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PROJECT_ERRORS.project_not_found)
  async change(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { input }: ChangeProtectionBody,
  ): Promise<Envelope<ProtectionView>> {
    return new Envelope(ProtectionView.of(await this.protection.change(call, projectIdOrSlug, input)));
  }

  @Post('projects/:project_id/access-links')
  @RequireScope('deploys:read', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.CREATED)
  @ApiOperation({
    summary: 'Creates a link with which a member opens a protected host.',
    description:
      'The link works for ten minutes. A browser that followed it keeps its access to that host for twelve hours.',
  })
  @ApiCreatedResponse({ type: AccessLinkAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PROJECT_ERRORS.project_not_found, DEPLOY_ERRORS.project_not_live)
  async createAccessLink(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { host }: CreateAccessLinkBody,
  ): Promise<Envelope<AccessLinkView>> {
    return new Envelope(AccessLinkView.of(await this.protection.accessLink(call, projectIdOrSlug, host)));
  }

  @Post('deploys/:deploy_id/share-links')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.CREATED)
  @ApiOperation({
    summary: 'Creates a link that opens one protected deploy for anybody who has it.',
    description: 'It opens only the URL of the deploy. To revoke it early, change the protection of the project.',
  })
  @ApiCreatedResponse({ type: AccessLinkAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, DEPLOY_ERRORS.deploy_not_found)
  async createShareLink(
    @Caller() call: Call,
    @Param('deploy_id') deployId: string,
    @Body() { expires_in: seconds }: CreateShareLinkBody,
  ): Promise<Envelope<AccessLinkView>> {
    return new Envelope(AccessLinkView.of(await this.protection.shareLink(call, deployId, seconds)));
  }
}

import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { CRON_ERRORS } from '../crons.errors.js';
import { CronsService } from '../domain/crons.service.js';
import {
  ChangeCronBody,
  CreateCronBody,
  CronAnswer,
  CronRunAnswer,
  CronRunsAnswer,
  CronRunView,
  CronsAnswer,
  CronView,
} from './crons.dto.js';

@ApiTags('crons')
@Controller('api/v1/projects/:project_id/crons')
export class CronsController {
  constructor(private readonly crons: CronsService) {}

  @Get()
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the crons of a project, oldest first, with their next times.' })
  @ApiOkResponse({ type: CronsAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async list(@Caller() call: Call, @Param('project_id') projectIdOrSlug: string): Promise<Envelope<CronView[]>> {
    return new Envelope((await this.crons.list(call, projectIdOrSlug)).map((cron) => CronView.of(cron)));
  }

  @Post()
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.CREATED)
  @ApiOperation({
    summary: 'Creates a cron, which requests a path of the production deploy at times of a schedule.',
    description: 'Crons of vercel.json are created by the deploy that goes to production. Free includes no crons.',
  })
  @ApiCreatedResponse({ type: CronAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PROJECT_ERRORS.project_not_found, PLAN_ERRORS.feature_not_in_plan)
  async create(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { fields }: CreateCronBody,
  ): Promise<Envelope<CronView>> {
    return new Envelope(CronView.of(await this.crons.create(call, projectIdOrSlug, fields)));
  }

  @Patch(':cron_id')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Changes a cron.',
    description: 'Fields that are absent stay the same. A cron of vercel.json can only be disabled and enabled.',
  })
  @ApiOkResponse({ type: CronAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    PROJECT_ERRORS.project_not_found,
    CRON_ERRORS.cron_not_found,
    CRON_ERRORS.cron_from_file,
  )
  async change(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('cron_id') cronId: string,
    @Body() { fields }: ChangeCronBody,
  ): Promise<Envelope<CronView>> {
    return new Envelope(CronView.of(await this.crons.change(call, projectIdOrSlug, cronId, fields)));
  }

  @Delete(':cron_id')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a cron with its history.' })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    PROJECT_ERRORS.project_not_found,
    CRON_ERRORS.cron_not_found,
    CRON_ERRORS.cron_from_file,
  )
  async delete(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('cron_id') cronId: string,
  ): Promise<void> {
    await this.crons.delete(call, projectIdOrSlug, cronId);
  }

  @Post(':cron_id/run')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Runs a cron now, whether or not it is enabled.',
    description:
      'The request is sent within seconds; list the runs for its outcome. While another run of the cron is active, ' +
      'this one is skipped, and its outcome is `overlapped`.',
  })
  @ApiAcceptedResponse({ type: CronRunAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    PROJECT_ERRORS.project_not_found,
    CRON_ERRORS.cron_not_found,
    PLAN_ERRORS.feature_not_in_plan,
  )
  async run(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('cron_id') cronId: string,
  ): Promise<Envelope<CronRunView>> {
    return new Envelope(CronRunView.of(await this.crons.run(call, projectIdOrSlug, cronId)));
  }

  @Get(':cron_id/runs')
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the last 100 runs of a cron, newest first.' })
  @ApiOkResponse({ type: CronRunsAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found, CRON_ERRORS.cron_not_found)
  async runs(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('cron_id') cronId: string,
  ): Promise<Envelope<CronRunView[]>> {
    return new Envelope((await this.crons.runsOf(call, projectIdOrSlug, cronId)).map((run) => CronRunView.of(run)));
  }
}

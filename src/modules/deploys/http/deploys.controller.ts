import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { DeployDeletion } from '../requests/deploy-deletion.js';
import { isOver } from '../domain/deploy-state.js';
import { DEPLOY_ERRORS } from '../deploys.errors.js';
import { DeploysService } from '../requests/deploys.service.js';
import { LiveDeploys } from '../requests/live-deploys.js';
import { LogFollower } from '../logs/log-follower.js';
import { DeployViews } from './deploy-views.js';
import {
  DeployAnswer,
  DeployEventsAnswer,
  DeployEventView,
  DeployLogLineView,
  type DeployView,
  LogsQuery,
} from './deploys.dto.js';
import { lastSeenOf, sendLog, wantsEvents } from './log-answer.js';

@ApiTags('deploys')
@Controller('api/v1/deploys/:deploy_id')
export class DeploysController {
  constructor(
    private readonly deploys: DeploysService,
    private readonly live: LiveDeploys,
    private readonly deletion: DeployDeletion,
    private readonly logs: LogFollower,
    private readonly views: DeployViews,
  ) {}

  @Get()
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Shows a deploy.' })
  @ApiOkResponse({ type: DeployAnswer })
  @ApiRefusals(...ANY_CALLER, DEPLOY_ERRORS.deploy_not_found)
  async get(@Caller() call: Call, @Param('deploy_id') id: string): Promise<Envelope<DeployView>> {
    return new Envelope(await this.views.of(await this.deploys.get(call, id, 'deploys:read')));
  }

  @Delete()
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes the files of a deploy, and the hosts that lead to it.',
    description:
      'What it stored is free at once. The deploy stays in the list, with `files_removed`. One that is at work, or that production shows, is not deleted.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, DEPLOY_ERRORS.deploy_not_found, DEPLOY_ERRORS.deploy_in_use)
  async delete(@Caller() call: Call, @Param('deploy_id') id: string): Promise<void> {
    await this.deletion.delete(call, id);
  }

  @Get('events')
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({
    summary:
      'Lists what happened to a deploy, the earliest first: each state, lost attempts, and when hosts were pointed to it.',
  })
  @ApiOkResponse({ type: DeployEventsAnswer })
  @ApiRefusals(...ANY_CALLER, DEPLOY_ERRORS.deploy_not_found)
  async events(@Caller() call: Call, @Param('deploy_id') id: string): Promise<Envelope<DeployEventView[]>> {
    return new Envelope((await this.deploys.events(call, id)).map((event) => DeployEventView.of(event)));
  }

  @Get('logs')
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiParam({ name: 'deploy_id' })
  @ApiOperation({
    summary: 'Streams the log of a deploy, live until that is over.',
    description:
      'With `Accept: text/event-stream` as events `line` and, at last, `end`; else as NDJSON, a line of the log a line, at last `{"end": {"state": …}}`. ' +
      'An answer that ends without it has broken off: ask again with the last `seq` in `Last-Event-ID`.',
  })
  @ApiExtraModels(DeployLogLineView)
  @ApiOkResponse({
    description: 'Lines of the log.',
    content: {
      'application/x-ndjson': { schema: { $ref: getSchemaPath(DeployLogLineView) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiNoContentResponse({
    description:
      'With `Accept: text/event-stream` and `Last-Event-ID`: the deploy is over and nothing is left to be told.',
  })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, DEPLOY_ERRORS.deploy_not_found)
  async log(
    @Caller() call: Call,
    @Res() response: Response,
    @Query() query: LogsQuery,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    const request = response.req;
    const { id, state } = await this.deploys.get(call, request.params['deploy_id'] as string, 'deploys:read');
    const lastSeen = lastSeenOf(request);
    const asEvents = wantsEvents(request);
    if (asEvents && lastSeen !== undefined && isOver(state) && !(await this.logs.hasMore(id, lastSeen))) {
      // Browsers would ask again for ever.
      response.status(HttpStatus.NO_CONTENT).end();
      return;
    }
    const after = lastSeen ?? query.after ?? 0;
    await sendLog(
      response,
      asEvents ? 'events' : 'lines',
      query.follow ? this.logs.follow(id, after, signal) : this.logs.read(id, after),
      signal,
    );
  }

  @Post('cancel')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Ends a deploy that waits or is at work.' })
  @ApiOkResponse({ type: DeployAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, DEPLOY_ERRORS.deploy_not_found, DEPLOY_ERRORS.deploy_already_over)
  async cancel(@Caller() call: Call, @Param('deploy_id') id: string): Promise<Envelope<DeployView>> {
    return new Envelope(await this.views.of(await this.deploys.cancel(call, id)));
  }

  @Post('promote')
  @RequireScope('deploys:production', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Makes a deploy that is ready what production shows, without a build.',
    description:
      'With the environment that it was built with, for a preview that of previews. Ends what a rollback has pinned. Needs `deploys:write` as well.',
  })
  @ApiOkResponse({ type: DeployAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    DEPLOY_ERRORS.deploy_not_found,
    DEPLOY_ERRORS.deploy_not_ready,
    PLAN_ERRORS.feature_not_in_plan,
    ACCESS_ERRORS.email_not_verified,
  )
  async promote(@Caller() call: Call, @Param('deploy_id') id: string): Promise<Envelope<DeployView>> {
    return new Envelope(await this.views.of(await this.live.promote(call, id)));
  }
}

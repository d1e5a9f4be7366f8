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
import { lastSeqOf, wantsEventStream } from '../../../platform/http/last-event-id.js';
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
import { LogFollower, type LogNews } from '../logs/log-follower.js';
import { DeployViews } from './deploy-views.js';
import {
  DeployAnswer,
  DeployEventsAnswer,
  DeployEventView,
  DeployLogLineView,
  type DeployView,
  LogsQuery,
} from './deploys.dto.js';
import { sendLive, type SentNews } from '../../../platform/http/live-answer.js';

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
  @ApiOperation({ summary: 'Returns a deploy.' })
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
    summary: 'Deletes the files of a deploy and the hosts that lead to it.',
    description:
      'Use it to free storage at once. The deploy stays in the list, with `files_removed`. ' +
      'Refuses active deploys and the production deploy.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, DEPLOY_ERRORS.deploy_not_found, DEPLOY_ERRORS.deploy_in_use)
  async delete(@Caller() call: Call, @Param('deploy_id') id: string): Promise<void> {
    await this.deletion.delete(call, id);
  }

  @Get('events')
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the events of a deploy, oldest first.',
    description: 'There is an event for each change of state, each lost attempt, and each time that it went live.',
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
    summary: 'Streams the log of a deploy until the deploy ends.',
    description:
      'With `Accept: text/event-stream`, sends events `line` and a final event `end`. Otherwise sends NDJSON, ' +
      'one object for each line of the log, and a final `{"end": {"state": …}}`. ' +
      'If a response ends without it, the connection was lost: repeat the request with the last `seq` in ' +
      '`Last-Event-ID`.',
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
      'With `Accept: text/event-stream` and `Last-Event-ID`: the deploy has ended and there are no more lines.',
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
    const lastSeen = lastSeqOf(request);
    const asEvents = wantsEventStream(request);
    if (asEvents && lastSeen !== undefined && isOver(state) && !(await this.logs.hasMore(id, lastSeen))) {
      // After any other answer browsers would reconnect for ever.
      response.status(HttpStatus.NO_CONTENT).end();
      return;
    }
    const after = lastSeen ?? query.after ?? 0;
    await sendLive(
      response,
      asEvents ? 'events' : 'lines',
      sentOf(query.follow ? this.logs.follow(id, after, signal) : this.logs.read(id, after)),
      signal,
    );
  }

  @Post('cancel')
  @RequireScope('deploys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Cancels an active deploy.', description: 'Refuses a deploy that has ended.' })
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
    summary: 'Promotes a ready deploy to production.',
    description:
      'Nothing is built: the deploy keeps the environment that it was built with, a preview that of previews. ' +
      'Removes the pin of a rollback. Needs `deploys:write` as well.',
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

async function* sentOf(news: AsyncIterable<LogNews>): AsyncGenerator<SentNews> {
  for await (const each of news)
    yield 'end' in each
      ? { end: { state: each.end } }
      : { lines: each.lines.map((line) => DeployLogLineView.of(line)) };
}

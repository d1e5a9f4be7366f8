import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { lastSeqOf, wantsEventStream } from '../../../platform/http/last-event-id.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { DEPLOY_ERRORS } from '../deploys.errors.js';
import { RuntimeLogFollower, type RuntimeLogNews } from '../logs/runtime-log-follower.js';
import { AppScopes } from '../requests/app-scopes.js';
import { sendLive, type SentNews } from '../../../platform/http/live-answer.js';
import { RuntimeLogLineView, RuntimeLogsQuery } from './runtime-logs.dto.js';

@ApiTags('deploys')
@Controller('api/v1/projects/:project_id/runtime-logs')
export class RuntimeLogsController {
  constructor(
    private readonly scopes: AppScopes,
    private readonly logs: RuntimeLogFollower,
  ) {}

  @Get()
  @RequireScope('deploys:read', { in: 'resource' })
  @ApiParam({ name: 'project_id' })
  @ApiOperation({
    summary: 'Returns or streams what the servers of a project print.',
    description:
      'Sends NDJSON, one object for each line, and a final `{"end": {"after": …, "more": …}}`: repeat the request ' +
      'with that `after` for the next lines. With `follow=true` it stays open and sends new lines. With ' +
      '`Accept: text/event-stream` it always follows and sends events `line`. If the connection is lost, repeat the ' +
      'request with the last `seq` in `Last-Event-ID`.',
  })
  @ApiExtraModels(RuntimeLogLineView)
  @ApiOkResponse({
    description: 'Lines of the log.',
    content: {
      'application/x-ndjson': { schema: { $ref: getSchemaPath(RuntimeLogLineView) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiRefusals(
    ...ANY_CALLER,
    GENERIC_ERRORS.invalid_request,
    PROJECT_ERRORS.project_not_found,
    DEPLOY_ERRORS.deploy_not_found,
  )
  async log(
    @Caller() call: Call,
    @Res() response: Response,
    @Query() query: RuntimeLogsQuery,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    const { req: request } = response;
    const { projectId, deployId } = await this.scopes.find(call, request.params['project_id'] as string, query.deploy);
    const scope = deployId === undefined ? { projectId } : { deployId };
    const asked = query.requestAfter(lastSeqOf(request));
    const asEvents = wantsEventStream(request);
    const follows = asEvents || query.follow;
    const news = follows ? this.logs.follow(scope, asked, signal) : this.logs.read(scope, asked);
    await sendLive(response, asEvents ? 'events' : 'lines', sentOf(news), signal);
  }
}

async function* sentOf(news: AsyncIterable<RuntimeLogNews>): AsyncGenerator<SentNews> {
  for await (const each of news)
    yield 'end' in each ? each : { lines: each.lines.map((line) => RuntimeLogLineView.of(line)) };
}

import { Controller, Get, HttpStatus, Param, Query, Res } from '@nestjs/common';
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
import { sendLive, type SentNews } from '../../../platform/http/live-answer.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RunFollower, type RunNews } from '../events/run-follower.js';
import { isRunOver } from '../domain/run-state.js';
import { RunStepsReader } from '../requests/run-steps.js';
import { RunsService } from '../requests/runs.service.js';
import { RUN_ERRORS } from '../runs.errors.js';
import { markdownOf } from './markdown-transcript.js';
import {
  RunEventsQuery,
  RunEventView,
  RunStepPageAnswer,
  RunStepView,
  StepsQuery,
  TranscriptAnswer,
  TranscriptView,
} from './run-steps.dto.js';

@ApiTags('agents')
@Controller('api/v1/runs/:run_id')
export class RunEventsController {
  constructor(
    private readonly runs: RunsService,
    private readonly reader: RunStepsReader,
    private readonly follower: RunFollower,
  ) {}

  @Get('steps')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the steps of a run with their tool calls, oldest first.' })
  @ApiOkResponse({ type: RunStepPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, RUN_ERRORS.run_not_found)
  async steps(
    @Caller() call: Call,
    @Param('run_id') id: string,
    @Query() query: StepsQuery,
  ): Promise<Envelope<RunStepView[]>> {
    return pageEnvelope(await this.reader.list(call, id, query.page), (step) => RunStepView.of(step));
  }

  @Get('transcript')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns a run with all of its steps.',
    description: 'With `Accept: text/markdown`, returns a text for people, without an envelope.',
  })
  @ApiExtraModels(TranscriptAnswer)
  @ApiOkResponse({
    description: 'The transcript.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(TranscriptAnswer) } },
      'text/markdown': { schema: { type: 'string' } },
    },
  })
  @ApiRefusals(...ANY_CALLER, RUN_ERRORS.run_not_found)
  async transcript(
    @Caller() call: Call,
    @Param('run_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Envelope<TranscriptView> | RawAnswer> {
    const transcript = await this.reader.transcript(call, id);
    if (!/\btext\/markdown\b/i.test(response.req.headers.accept ?? ''))
      return new Envelope(TranscriptView.of(transcript));
    return new RawAnswer(Buffer.from(markdownOf(transcript)), 'text/markdown; charset=utf-8', {});
  }

  @Get('events')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiParam({ name: 'run_id' })
  @ApiOperation({
    summary: 'Streams the events of a run until the run ends.',
    description:
      'With `Accept: text/event-stream`, sends an event for each, named by its type, and a final event `end`. ' +
      'Otherwise sends NDJSON, and a final `{"end": {"state": …}}`. In between, `delta` has pieces of the text that ' +
      'is being generated; they have no `seq` and are not repeated, because the whole text comes with `step.ended`. ' +
      'If a response ends without its end, repeat the request with the last `seq` in `Last-Event-ID`.',
  })
  @ApiExtraModels(RunEventView)
  @ApiOkResponse({
    description: 'Events of the run.',
    content: {
      'application/x-ndjson': { schema: { $ref: getSchemaPath(RunEventView) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiNoContentResponse({
    description:
      'With `Accept: text/event-stream` and `Last-Event-ID`: the run has ended and there are no more events.',
  })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, RUN_ERRORS.run_not_found)
  async events(
    @Caller() call: Call,
    @Res() response: Response,
    @Query() query: RunEventsQuery,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    const request = response.req;
    const run = await this.runs.find(call, request.params['run_id'] as string, 'agents:read');
    const lastSeen = lastSeqOf(request);
    const asEvents = wantsEventStream(request);
    if (
      asEvents &&
      lastSeen !== undefined &&
      isRunOver(run.state) &&
      !(await this.follower.hasMore(run.id, lastSeen))
    ) {
      // After any other answer browsers would reconnect for ever.
      response.status(HttpStatus.NO_CONTENT).end();
      return;
    }
    const after = lastSeen ?? query.after ?? 0;
    const news = query.follow ? this.follower.follow(run, after, signal) : this.follower.read(run, after);
    await sendLive(response, asEvents ? 'events' : 'lines', sentOf(news), signal);
  }
}

async function* sentOf(news: AsyncIterable<RunNews>): AsyncGenerator<SentNews> {
  for await (const each of news)
    yield 'end' in each
      ? { end: { state: each.end } }
      : {
          lines: [
            ...each.events.map((event) => RunEventView.of(event)),
            ...each.deltas.map((data) => ({ type: 'delta', data })),
          ],
        };
}

import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
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
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { lastSeqOf } from '../../../platform/http/last-event-id.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { ExecutionStreams } from '../executions/execution-streams.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { ExecutionEventView } from './execution-events.dto.js';
import { END_SEQ, ExecutionEvents } from './execution-events.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox/executions/:execution_id/events')
export class ExecutionEventsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly streams: ExecutionStreams,
    private readonly events: ExecutionEvents,
  ) {}

  @Get()
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiParam({ name: 'execution_id' })
  @ApiOperation({
    summary: 'Streams the output of an execution until it ends.',
    description:
      'With `Accept: text/event-stream`, sends an event `execution`, the output as events `stdout` and `stderr` with ' +
      '`text`, then an event `result` or `error`, and `end`. Otherwise sends NDJSON with `seq`, `type` and `data`, ' +
      'and a final `{"end": {"status": …}}`. If a response ends without its end, repeat the request with the last ' +
      '`id` or `seq` in `Last-Event-ID`. Output is kept for executions that were streamed or made with ' +
      '`wait: false`, for at least ten minutes unless much is kept; the result always has all of it.',
  })
  @ApiExtraModels(ExecutionEventView)
  @ApiOkResponse({
    description: 'Events of the execution.',
    content: {
      'application/x-ndjson': { schema: { $ref: getSchemaPath(ExecutionEventView) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiNoContentResponse({ description: 'With the number of `end` in `Last-Event-ID`: there are no more events.' })
  @ApiRefusals(
    ...ANY_CALLER,
    GENERIC_ERRORS.invalid_request,
    SANDBOX_ERRORS.execution_not_found,
    LIMIT_ERRORS.concurrency_limit_exceeded,
  )
  async follow(@Caller() call: Call, @Res() response: Response, @HangUpSignal() signal: AbortSignal): Promise<void> {
    const execution = await this.executions.get(call, response.req.params['execution_id'] as string);
    const after = lastSeqOf(response.req);
    if (after !== undefined && after >= END_SEQ) {
      // After any other answer browsers would reconnect for ever.
      response.status(HttpStatus.NO_CONTENT).end();
      return;
    }
    const news = await this.streams.resume(call, { execution, after }, signal);
    await this.events.sendOfOrg(response, news, after);
  }
}

import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { lastSeqOf, wantsEventStream } from '../../../platform/http/last-event-id.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { EventFollower } from '../streams/event-follower.js';
import { sendEvents } from './event-stream.js';
import { EventsQuery, EventView } from './events.dto.js';

@ApiTags('events')
@TakesSession('or_key')
@Controller('api/v1/orgs/:org_id/events')
export class EventsController {
  constructor(private readonly events: EventFollower) {}

  @Get()
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiParam({ name: 'org_id' })
  @ApiOperation({
    summary: 'Streams what happens in an organization.',
    description:
      'Sends NDJSON, one object for each event, and after five minutes `{"end": {"after": …}}`; with ' +
      '`Accept: text/event-stream`, server-sent events. Repeat the request with the last `seq` in `Last-Event-ID`: ' +
      'events are stored for 24 hours. Only events that the scopes of the caller allow are sent.',
  })
  @ApiExtraModels(EventView)
  @ApiOkResponse({
    description: 'Events.',
    content: {
      'application/x-ndjson': { schema: { $ref: getSchemaPath(EventView) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiRefusals(
    ...ANY_CALLER,
    GENERIC_ERRORS.invalid_request,
    ORG_ERRORS.organization_not_found,
    LIMIT_ERRORS.concurrency_limit_exceeded,
  )
  async stream(
    @Caller() call: Call,
    @Res() response: Response,
    @Query() query: EventsQuery,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    const { req: request } = response;
    const orgIdOrSlug = request.params['org_id'] as string;
    const news = await this.events.open(call, { orgIdOrSlug, after: lastSeqOf(request) ?? query.after, signal });
    await sendEvents(response, wantsEventStream(request) ? 'events' : 'lines', news, signal);
  }
}

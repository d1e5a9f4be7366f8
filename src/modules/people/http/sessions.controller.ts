import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { RotatedSessionAnswer, RotatedSessionView, SessionPageAnswer, SessionView } from './sessions.dto.js';

@ApiTags('auth')
@TakesSession('only')
@Controller('api/v1/auth')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  // A session in a cookie is prolonged instead, because two calls of a page at once would look like a copied token.
  @Post('session/rotate')
  @TakesSession('only_token')
  @RequireCaller()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Replaces the token of the current session.',
    description:
      'The session then lasts 30 days from now, but no longer than `SESSION_MAX_DAYS` after the sign-in. ' +
      'The old token stops working, and using it again ends the session.',
  })
  @ApiOkResponse({ type: RotatedSessionAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE)
  async rotate(@Caller() call: Call): Promise<Envelope<RotatedSessionView>> {
    return new Envelope(RotatedSessionView.of(await this.sessions.rotate(call)));
  }

  @Get('sessions')
  @RequireCaller()
  @ApiOperation({ summary: "Lists the caller's active sessions, newest first." })
  @ApiOkResponse({ type: SessionPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<SessionView[]>> {
    return pageEnvelope(await this.sessions.list(call, query.page), (session) => SessionView.of(session, call));
  }

  @Delete('sessions')
  @RequireCaller()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: "Ends all of the caller's sessions but that of the call.",
    description: 'Sign-ins that wait for a second factor end as well. Keys keep working.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE)
  async endOthers(@Caller() call: Call): Promise<void> {
    await this.sessions.endOwnOthers(call);
  }

  @Delete('sessions/:session_id')
  @RequireCaller()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: "Ends one of the caller's sessions." })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, CREDENTIAL_ERRORS.session_not_found)
  async end(@Caller() call: Call, @Param('session_id') sessionId: string): Promise<void> {
    await this.sessions.end(sessionId, call);
  }
}

import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { hangUpOf } from '../../../platform/http/hang-up.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { SandboxSessionsService } from '../sessions/sandbox-sessions.service.js';
import {
  SESSION_EXAMPLES,
  SandboxSessionAnswer,
  SandboxSessionBody,
  SandboxSessionPageAnswer,
  SandboxSessionsQuery,
  SandboxSessionView,
} from './sandbox-sessions.dto.js';

const REHEARSED = { dry_run: true };
export const SESSION_PARAMETER = {
  name: 'session_id',
  description: 'The ID of the session.',
  example: 'sbx_01jd3m8yeqf5rb0xkq5ym8s6tn',
};

@ApiTags('sandbox')
@Controller('api/v1/sandbox/sessions')
export class SandboxSessionsController {
  constructor(
    private readonly sessions: SandboxSessionsService,
    private readonly ends: SessionEnds,
  ) {}

  @Post()
  @RequireScope('sandbox:execute')
  @RequireFeature('sandbox_executions')
  @TakesJson({ actsOutside: true })
  @ApiOperation({
    summary: 'Creates a session: an interpreter that keeps its variables and files between runs.',
    description:
      'A session is frozen while it is not used, and only the time of runs and commands is charged. It ends when it ' +
      'has not been used for `idle_timeout_seconds`, and at `expires_at`. Closing the connection while you wait ends ' +
      'it.',
  })
  @ApiBody({ type: SandboxSessionBody, examples: SESSION_EXAMPLES })
  @ApiCreatedResponse({ type: SandboxSessionAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    OPERATOR_ERRORS.feature_disabled,
    CREDIT_ERRORS.credits_exhausted,
    CREDIT_ERRORS.spend_cap_reached,
    CREDIT_ERRORS.budget_exceeded,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    SANDBOX_ERRORS.package_install_failed,
    SANDBOX_ERRORS.packages_unavailable,
    SANDBOX_ERRORS.sandbox_unavailable,
  )
  async create(
    @Caller() call: Call,
    @Body() { input }: SandboxSessionBody,
    @DryRun() dryRun: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Envelope<SandboxSessionView>> {
    if (dryRun) return new Envelope(SandboxSessionView.of(await this.sessions.rehearse(call, input)), REHEARSED);
    return new Envelope(SandboxSessionView.of(await this.sessions.create(call, input, hangUpOf(response))));
  }

  @Get()
  @RequireScope('sandbox:execute')
  @ApiOperation({
    summary: 'Lists sessions, newest first. Those that have ended are listed for 30 days.',
    description: 'Covers the organization of the key.',
  })
  @ApiOkResponse({ type: SandboxSessionPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: SandboxSessionsQuery): Promise<Envelope<SandboxSessionView[]>> {
    return pageEnvelope(await this.sessions.list(call, query.status, query.page), (session) =>
      SandboxSessionView.of(session),
    );
  }

  @Get(':session_id')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiParam(SESSION_PARAMETER)
  @ApiOperation({ summary: 'Returns a session.' })
  @ApiOkResponse({ type: SandboxSessionAnswer })
  @ApiRefusals(...ANY_CALLER, SANDBOX_ERRORS.sandbox_session_not_found)
  async get(@Caller() call: Call, @Param('session_id') id: string): Promise<Envelope<SandboxSessionView>> {
    return new Envelope(SandboxSessionView.of(await this.sessions.get(call, id)));
  }

  @Delete(':session_id')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @ApiParam(SESSION_PARAMETER)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Ends a session.',
    description:
      'Its variables and files are gone. What runs in it is cancelled, and charged up to now. A session that has ' +
      'ended stays as it is.',
  })
  @ApiOkResponse({ type: SandboxSessionAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, SANDBOX_ERRORS.sandbox_session_not_found)
  async end(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @DryRun() dryRun: boolean,
  ): Promise<Envelope<SandboxSessionView>> {
    if (dryRun) return new Envelope(SandboxSessionView.of(await this.sessions.rehearseEnd(call, id)), REHEARSED);
    return new Envelope(SandboxSessionView.of(await this.ends.end(call, id)));
  }

  @Post(':session_id/freeze')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @ApiParam(SESSION_PARAMETER)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Freezes a session now.',
    description:
      'Sessions freeze by themselves a quarter of a second after their last use. The next use wakes a frozen ' +
      'session. Freezing a frozen session is not an error.',
  })
  @ApiOkResponse({ type: SandboxSessionAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    SANDBOX_ERRORS.sandbox_session_not_found,
    SANDBOX_ERRORS.sandbox_session_over,
    SANDBOX_ERRORS.sandbox_session_busy,
    SANDBOX_ERRORS.sandbox_unavailable,
  )
  async freeze(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @DryRun() dryRun: boolean,
  ): Promise<Envelope<SandboxSessionView>> {
    if (dryRun) return new Envelope(SandboxSessionView.of(await this.ends.rehearseFreeze(call, id)), REHEARSED);
    return new Envelope(SandboxSessionView.of(await this.ends.freeze(call, id)));
  }
}

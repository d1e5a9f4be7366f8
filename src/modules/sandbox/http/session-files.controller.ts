import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Put, Query, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { SessionFilesService } from '../sessions/session-files.service.js';
import { SESSION_PARAMETER } from './sandbox-sessions.controller.js';
import { SessionFileQuery, SessionFilesAnswer, SessionFilesQuery, SessionFileView } from './sandbox-sessions.dto.js';
import { SessionFileBodies } from './session-file-bodies.js';

const CONTENT_TYPE = 'application/octet-stream';
const REFUSALS = [
  GENERIC_ERRORS.invalid_request,
  SANDBOX_ERRORS.sandbox_session_not_found,
  SANDBOX_ERRORS.sandbox_session_over,
  SANDBOX_ERRORS.sandbox_unavailable,
];

@ApiTags('sandbox')
@Controller('api/v1/sandbox/sessions/:session_id/files')
export class SessionFilesController {
  constructor(
    private readonly files: SessionFilesService,
    private readonly bodies: SessionFileBodies,
  ) {}

  @Get()
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiParam(SESSION_PARAMETER)
  @ApiOperation({ summary: 'Lists up to 1,000 entries of a directory of a session.' })
  @ApiOkResponse({ type: SessionFilesAnswer })
  @ApiRefusals(...ANY_CALLER, ...REFUSALS, SANDBOX_ERRORS.session_file_not_found)
  async list(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @Query() { path }: SessionFilesQuery,
  ): Promise<Envelope<SessionFileView[]>> {
    return new Envelope((await this.files.list(call, id, path)).map((file) => SessionFileView.of(file)));
  }

  @Get('content')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiParam(SESSION_PARAMETER)
  @ApiProduces(CONTENT_TYPE)
  @ApiOperation({ summary: 'Returns the bytes of a file of a session, at most 8 MiB.' })
  @ApiOkResponse({ description: 'The bytes.', schema: { type: 'string', format: 'binary' } })
  @ApiRefusals(
    ...ANY_CALLER,
    ...REFUSALS,
    GENERIC_ERRORS.payload_too_large,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    SANDBOX_ERRORS.session_file_not_found,
  )
  async read(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @Query() { path }: SessionFileQuery,
  ): Promise<RawAnswer> {
    // Browsers save it and do not show it.
    return new RawAnswer(await this.files.read(call, id, path), CONTENT_TYPE, { 'Content-Disposition': 'attachment' });
  }

  @Put('content')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @ApiParam(SESSION_PARAMETER)
  @ApiConsumes(CONTENT_TYPE)
  @ApiBody({ schema: { type: 'string', format: 'binary', example: 'a,b\n1,2\n' } })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Writes a file of a session, at most 8 MiB, and the directories that it is in.',
    description: 'The body is the file. One that is there is replaced.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    ...REFUSALS,
    GENERIC_ERRORS.payload_too_large,
    GENERIC_ERRORS.request_timeout,
    GENERIC_ERRORS.unsupported_media_type,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    SANDBOX_ERRORS.sandbox_session_full,
    SANDBOX_ERRORS.session_file_not_found,
  )
  write(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @Query() { path }: SessionFileQuery,
    @Req() request: Request,
  ): Promise<void> {
    return this.bodies.write(call, { id, path }, request);
  }

  @Delete('content')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @TakesNothing({ actsOutside: true })
  @ApiParam(SESSION_PARAMETER)
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a file of a session, or a directory with all that it contains.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, ...REFUSALS, SANDBOX_ERRORS.session_file_not_found)
  async remove(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @Query() { path }: SessionFileQuery,
    @DryRun() dryRun: boolean,
  ): Promise<void> {
    await (dryRun ? this.files.rehearse(call, id) : this.files.remove(call, id, path));
  }
}

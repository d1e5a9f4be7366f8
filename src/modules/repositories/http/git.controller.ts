import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { UnsupportedMediaType } from '../../../platform/http/http.errors.js';
import { letTakeLong } from '../../../platform/http/long-request.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireCaller, RequireScope, TakesPassword, TakesSession } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { GIT_SERVICES, type GitBody, type GitService } from '../git/git-backend.js';
import { GitHost } from '../pushes/git-host.js';
import { GitServiceUnknown } from '../repositories.errors.js';
import { GitRefusals } from './git-refusals.js';

const PROTOCOL = /^version=[0-2](?::version=[0-2])*$/;
const GZIP = /^(?:x-)?gzip$/;

/** Serves smart HTTP with three paths; no other path leads into a repository. */
@ApiExcludeController()
@UseFilters(GitRefusals)
@TakesPassword()
@TakesSession('never')
@Controller('git/:org_id/:name.git')
export class GitController {
  constructor(private readonly host: GitHost) {}

  /** The required scope depends on the git service, so that the host checks it. */
  @Get('info/refs')
  @RequireCaller()
  async refs(
    @Caller() call: Call,
    @Req() request: Request,
    @Res() response: Response,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    const service = GIT_SERVICES.find((known) => request.query['service'] === known);
    if (service === undefined) throw new GitServiceUnknown();
    await this.answer(call, { request, response, signal }, service);
  }

  @Post('git-upload-pack')
  @NeedsNoStorage()
  @RequireScope('repositories:read', { in: 'resource' })
  async fetch(
    @Caller() call: Call,
    @Req() request: Request,
    @Res() response: Response,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    await this.answer(call, { request, response, signal }, 'git-upload-pack', bodyOf(request, 'git-upload-pack'));
  }

  @Post('git-receive-pack')
  @RequireScope('repositories:write', { in: 'resource' })
  @RequireVerifiedEmail()
  async push(
    @Caller() call: Call,
    @Req() request: Request,
    @Res() response: Response,
    @HangUpSignal() signal: AbortSignal,
  ): Promise<void> {
    await this.answer(call, { request, response, signal }, 'git-receive-pack', bodyOf(request, 'git-receive-pack'));
  }

  private async answer(
    call: Call,
    { request, response, signal }: Exchange,
    service: GitService,
    body?: GitBody,
  ): Promise<void> {
    letTakeLong(response);
    const { org_id: org, name } = request.params as { org_id: string; name: string };
    const protocol = request.headers['git-protocol'];
    const answer = await this.host.answer(call, {
      org,
      name,
      service,
      body,
      signal,
      protocol: typeof protocol === 'string' && PROTOCOL.test(protocol) ? protocol : undefined,
    });
    response.status(answer.status).set(answer.headers);
    try {
      await answer.sendTo(response);
    } catch (error) {
      throw signal.aborted ? new CallerHungUp() : error;
    }
    response.end();
  }
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly signal: AbortSignal;
}

function bodyOf(request: Request, service: GitService): GitBody {
  const type = `application/x-${service}-request`;
  const { 'content-type': sent, 'content-encoding': contentEncoding, 'content-length': length } = request.headers;
  if (sent !== type) throw new UnsupportedMediaType(`The content type must be ${type}.`);
  if (contentEncoding !== undefined && !GZIP.test(contentEncoding))
    throw new UnsupportedMediaType('The content encoding must be gzip or absent.');
  // The size of compressed data is unknown.
  return {
    stream: request,
    contentEncoding,
    bytes: length === undefined || contentEncoding !== undefined ? undefined : Number(length),
  };
}

import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { TakesMessage, TakesNothing } from '../../../platform/http/json-body.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { NarrowedToOrg } from '../../auth/carried-caller.js';
import { RequireCaller, TakesAccessToken, TakesSession } from '../../auth/require-scope.js';
import { McpRequests } from './mcp-requests.js';

/** The MCP server, for clients of the protocol of 2026-07-28 and of 2025. */
@ApiExcludeController()
@Controller('mcp')
@RequireCaller()
@TakesSession('never')
@TakesAccessToken()
@NarrowedToOrg('org')
@NeedsNoStorage()
export class McpController {
  constructor(private readonly requests: McpRequests) {}

  @Post()
  @TakesMessage()
  async post(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.requests.answer(request, response);
  }

  /** A stream of the protocol of 2025 needs a session, and this server keeps none. */
  @Get()
  get(): never {
    return this.requests.refuseMethod('GET');
  }

  @Delete()
  @TakesNothing()
  delete(): never {
    return this.requests.refuseMethod('DELETE');
  }
}

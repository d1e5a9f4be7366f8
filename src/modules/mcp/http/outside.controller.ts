import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { TakesMessage } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { OutsideRequests } from './outside-requests.js';

/** The MCP servers for callers without a key. */
@ApiExcludeController()
@Controller('mcp')
@NeedsNoStorage()
export class OutsideController {
  constructor(private readonly requests: OutsideRequests) {}

  @Post('anonymous')
  @Public()
  @TakesMessage()
  async anonymous(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.requests.answer('anonymous', request, response);
  }

  @Post('ops')
  @RequireOperatorToken('ops')
  @TakesMessage()
  async ops(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.requests.answer('ops', request, response);
  }
}

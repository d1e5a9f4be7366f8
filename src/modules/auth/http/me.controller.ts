import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { ANY_CALLER } from '../access.errors.js';
import { type Call, Caller } from '../caller.js';
import { RequireCaller, TakesSession } from '../require-scope.js';
import { MeAnswer, MeView } from './me.dto.js';
import { OperatorPages } from './operator-pages.js';

@ApiTags('me')
@Controller('api/v1/me')
export class MeController {
  constructor(private readonly operators: OperatorPages) {}

  @Get()
  @RequireCaller()
  @TakesSession('or_key')
  @ApiOperation({
    summary: 'Returns the caller, the organization of the call and the scopes in it.',
    description: 'Use it to check which user, key and organization a credential belongs to.',
  })
  @ApiOkResponse({ type: MeAnswer })
  @ApiRefusals(...ANY_CALLER)
  get(@Caller() call: Call, @Req() request: Request): Envelope<MeView> {
    return new Envelope(MeView.of(call, this.operators.isOperator(call.principal, request)));
  }
}

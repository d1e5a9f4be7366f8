import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { AnswersPreflight, AnyOrigin } from './cross-origin.js';
import { ClientRegistrations, type Registered } from './client-registrations.js';
import { OauthErrorFilter } from './oauth-error.filter.js';
import { OauthGateway } from './oauth-gateway.js';

const MAX_METADATA_BYTES = 16_384;

/** The endpoints of the authorization server (RFC 6749, 7009, 7517 and 7591). */
@ApiExcludeController()
@UseFilters(OauthErrorFilter)
@Controller('oauth')
export class OauthController {
  constructor(
    private readonly gateway: OauthGateway,
    private readonly registrations: ClientRegistrations,
  ) {}

  @Get('authorize')
  @Public()
  authorize(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.authorize(request, response);
  }

  /** Where a browser goes on after the person has answered. */
  @Get('authorize/:uid')
  @Public()
  resume(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.pass(request, response);
  }

  @Post('token')
  @Public()
  token(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.token(request, response);
  }

  @Post('revoke')
  @Public()
  revoke(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.token(request, response);
  }

  @Get('jwks')
  @Public()
  jwks(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.pass(request, response);
  }

  @Post('register')
  @Public()
  @TakesJson({ limitBytes: MAX_METADATA_BYTES })
  @AnyOrigin()
  register(@Req() request: Request): Promise<Registered> {
    return this.registrations.register(request);
  }

  @AnswersPreflight(':endpoint')
  preflight(): void {
    // The headers are the whole answer.
  }
}

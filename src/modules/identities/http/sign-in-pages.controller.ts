import { Controller, Get, HttpStatus, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { PROVIDER_NAMES, type ProviderName } from '../../auth/sign-in-method.js';
import { ExternalSignInStepsService, type ProviderReply } from '../flows/external-sign-in-steps.service.js';
import { ExternalSignInInvalid } from '../identities.errors.js';
import { FlowCookie } from './flow-cookie.js';

const LONGEST = 2_048;

/**
 * The addresses that a browser passes through on its way to a provider and back. None of them shows a page: what is
 * wrong with a sign-in is shown as other errors are.
 */
@ApiExcludeController()
@Controller('sign-in')
@Public()
export class SignInPagesController {
  constructor(
    private readonly steps: ExternalSignInStepsService,
    private readonly cookie: FlowCookie,
  ) {}

  @Get(':flow_id')
  async start(@Param('flow_id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { location, browser } = await this.steps.start(id, this.cookie.secretIn(request.headers.cookie));
    response.setHeader('Set-Cookie', this.cookie.headerFor(browser));
    response.redirect(HttpStatus.SEE_OTHER, location);
  }

  // A provider may also answer from another site with a form, whose request has no cookie. So the cookie is checked by
  // the address that this one leads to.
  @Get('callback/:provider')
  async answer(
    @Param('provider') provider: string,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const id = await this.steps.answer({ provider: providerOf(provider) }, replyOf(query));
    response.redirect(HttpStatus.SEE_OTHER, `/sign-in/${id}/finish`);
  }

  @Get('sso/:connection_id/callback')
  async answerOfConnection(
    @Param('connection_id') connectionId: string,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const id = await this.steps.answer({ provider: 'sso', connectionId }, replyOf(query));
    response.redirect(HttpStatus.SEE_OTHER, `/sign-in/${id}/finish`);
  }

  @Get(':flow_id/finish')
  async finish(@Param('flow_id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const location = await this.steps.finish(id, this.cookie.secretIn(request.headers.cookie));
    response.setHeader('Set-Cookie', this.cookie.clearingHeader);
    response.redirect(HttpStatus.SEE_OTHER, location);
  }
}

/** @throws {ExternalSignInInvalid} `invalid_flow` */
function providerOf(text: string): ProviderName {
  const found = PROVIDER_NAMES.find((name) => name === text);
  if (found === undefined) throw new ExternalSignInInvalid();
  return found;
}

const replyOf = (query: Record<string, unknown>): ProviderReply => ({
  state: textOf(query['state']),
  code: textOf(query['code']),
  error: textOf(query['error']),
  issuer: textOf(query['iss']),
});

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST ? value : undefined;

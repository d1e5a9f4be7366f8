import { Body, Controller, Headers, HttpCode, HttpStatus, Ip, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { IN_COOKIE, SESSION_HEADER } from '../../auth/session-cookie.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { CompleteFlowBody } from '../../identities/complete-flow-body.js';
import { IDENTITY_ERRORS } from '../../identities/identities.errors.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { SSO_ERRORS } from '../../sso/sso.errors.js';
import { FlowCompletionService } from '../accounts/flow-completion.service.js';
import { PEOPLE_ERRORS } from '../people.errors.js';
import { SignedInAnswer, SignedInView } from './auth.dto.js';
import { SessionCookieInterceptor } from './session-cookie.interceptor.js';
import { SESSION_PLACE, USER_AGENT } from './sign-in-headers.js';

@ApiTags('auth')
@UseInterceptors(SessionCookieInterceptor)
@Controller('api/v1/auth/flows')
export class ExternalSignInCompletionController {
  constructor(private readonly signIns: FlowCompletionService) {}

  @Post(':flow_id/complete')
  @Public()
  @TakesJson()
  @ApiHeader(USER_AGENT)
  @ApiHeader(SESSION_PLACE)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Completes a sign-in with GitHub, Google or SSO, or that of a program.',
    description:
      'An identity that is not connected to an account gets a new one, without a password. If its email address has ' +
      'an account, nothing is connected: sign in to that account and connect the identity there. An account with a ' +
      'second factor gets `second_factor_required`. SSO finds the account by its address too, if the organization ' +
      'has verified the domain, and makes the person a member. A program that a person let in gets a session of ' +
      'that person.',
  })
  @ApiOkResponse({ type: SignedInAnswer })
  @ApiRefusals(
    ...ANY_CALL,
    ...ANY_BODY,
    CREDENTIAL_ERRORS.cross_site_request,
    CREDENTIAL_ERRORS.invalid_flow,
    CREDENTIAL_ERRORS.second_factor_required,
    OPERATOR_ERRORS.feature_disabled,
    IDENTITY_ERRORS.account_exists,
    IDENTITY_ERRORS.identity_without_email,
    IDENTITY_ERRORS.sso_connection_not_found,
    SSO_ERRORS.domain_not_verified,
    SSO_ERRORS.sso_not_provisioned,
    PEOPLE_ERRORS.username_taken,
  )
  async complete(
    @Param('flow_id') id: string,
    @Body() { code, verifier }: CompleteFlowBody,
    @Ip() ip: string,
    @Headers() { 'user-agent': userAgent, [SESSION_HEADER]: place }: Readonly<Record<string, string | undefined>>,
  ): Promise<Envelope<SignedInView>> {
    const origin = { ip, userAgent, inCookie: place === IN_COOKIE };
    return new Envelope(SignedInView.of(await this.signIns.complete({ id, code, verifier }, origin)));
  }
}

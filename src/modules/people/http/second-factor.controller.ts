import { Body, Controller, Headers, HttpCode, HttpStatus, Ip, Post, UseInterceptors } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { IN_COOKIE, SESSION_HEADER } from '../../auth/session-cookie.js';
import { FACTOR_ERRORS } from '../../factors/factors.errors.js';
import { SecondFactorsService } from '../../factors/second-factors.service.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { SessionConfirmationService } from '../accounts/session-confirmation.service.js';
import { ATTEMPT_ERRORS } from '../attempts/attempts.errors.js';
import { PEOPLE_ERRORS } from '../people.errors.js';
import { SecondFactorSignInService } from '../second-factor-sign-in.service.js';
import { SignedInAnswer, SignedInView } from './auth.dto.js';
import {
  ConfirmSessionBody,
  FactorRecoveryAnswer,
  FactorRecoveryView,
  FlowTokenBody,
  PasskeyRequestAnswer,
  PasskeyRequestView,
  PasskeySignInBody,
  SecondFactorBody,
  SessionConfirmedAnswer,
  SessionConfirmedView,
} from './second-factor.dto.js';
import { SessionCookieInterceptor } from './session-cookie.interceptor.js';
import { SESSION_PLACE, USER_AGENT } from './sign-in-headers.js';

const REFUSALS = [...ANY_CALL, ...ANY_BODY, CREDENTIAL_ERRORS.cross_site_request, FACTOR_ERRORS.invalid_factor];

@ApiTags('auth')
@UseInterceptors(SessionCookieInterceptor)
@Controller('api/v1/auth')
export class SecondFactorController {
  constructor(
    private readonly signIns: SecondFactorSignInService,
    private readonly factors: SecondFactorsService,
    private readonly confirmations: SessionConfirmationService,
  ) {}

  @Post('second-factor')
  @Public()
  @TakesJson()
  @ApiHeader(USER_AGENT)
  @ApiHeader(SESSION_PLACE)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Completes a sign-in with a second factor.',
    description:
      'Send the token of `second_factor_required` with a code or a passkey. A code works once. A person has five ' +
      'attempts within five minutes.',
  })
  @ApiOkResponse({ type: SignedInAnswer })
  @ApiRefusals(...REFUSALS, CREDENTIAL_ERRORS.invalid_flow)
  async complete(
    @Body() { token, ...shown }: SecondFactorBody,
    @Ip() ip: string,
    @Headers('user-agent') userAgent?: string,
    @Headers(SESSION_HEADER) place?: string,
  ): Promise<Envelope<SignedInView>> {
    const origin = { ip, userAgent, inCookie: place === IN_COOKIE };
    return new Envelope(SignedInView.of(await this.signIns.complete(token, shown, origin)));
  }

  @Post('second-factor/recover')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Removes all second factors after 48 hours.',
    description:
      'For people who have lost all factors and recovery codes. Messages tell the owner of the address, and a ' +
      'sign-in with a factor or a new password stops it.',
  })
  @ApiAcceptedResponse({ type: FactorRecoveryAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY, CREDENTIAL_ERRORS.invalid_flow)
  async recover(@Body() { token }: FlowTokenBody, @Ip() ip: string): Promise<Envelope<FactorRecoveryView>> {
    const dueAt = await this.signIns.recover(token, ip);
    return new Envelope<FactorRecoveryView>({ due_at: dueAt.toISOString() });
  }

  @Post('passkey/options')
  @Public()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Returns what a browser needs to ask for a passkey.',
    description: 'The same for everybody, but for the challenge, which counts once within five minutes.',
  })
  @ApiOkResponse({ type: PasskeyRequestAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_WRITE)
  async passkeyOptions(): Promise<Envelope<PasskeyRequestView>> {
    return new Envelope<PasskeyRequestView>({ options: await this.factors.requestOptions() });
  }

  @Post('passkey')
  @Public()
  @TakesJson()
  @ApiHeader(USER_AGENT)
  @ApiHeader(SESSION_PLACE)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Signs in with a passkey.',
    description: 'A passkey is both factors: it is unlocked on its device. No password is needed.',
  })
  @ApiOkResponse({ type: SignedInAnswer })
  @ApiRefusals(...REFUSALS)
  async signInWithPasskey(
    @Body() { passkey }: PasskeySignInBody,
    @Ip() ip: string,
    @Headers('user-agent') userAgent?: string,
    @Headers(SESSION_HEADER) place?: string,
  ): Promise<Envelope<SignedInView>> {
    const origin = { ip, userAgent, inCookie: place === IN_COOKIE };
    return new Envelope(SignedInView.of(await this.signIns.signInWithPasskey(passkey, origin)));
  }

  @Post('session/confirm')
  @TakesSession('only')
  @RequireCaller()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Confirms the current session, so that it counts as a recent sign-in for 15 minutes.',
    description: 'Send the password, or a code or a passkey if you have a second factor.',
  })
  @ApiOkResponse({ type: SessionConfirmedAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    CREDENTIAL_ERRORS.second_factor_required,
    FACTOR_ERRORS.invalid_factor,
    PEOPLE_ERRORS.invalid_credentials,
    ATTEMPT_ERRORS.sign_in_limit_exceeded,
  )
  async confirm(@Caller() call: Call, @Body() body: ConfirmSessionBody): Promise<Envelope<SessionConfirmedView>> {
    await this.confirmations.confirm(body, call);
    return new Envelope<SessionConfirmedView>({ confirmed: true });
  }
}

import { Body, Controller, Headers, HttpCode, HttpStatus, Ip, Post, UseInterceptors } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { type Call, Caller } from '../../auth/caller.js';
import { EmailChangeConfirmationService } from '../emails/email-change-confirmation.service.js';
import { EmailVerificationService } from '../accounts/email-verification.service.js';
import { SignInService } from '../sign-in.service.js';
import { SignUpService } from '../accounts/sign-up.service.js';
import { IN_COOKIE, SESSION_HEADER } from '../../auth/session-cookie.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { SessionsService } from '../../auth/sessions.service.js';
import {
  EmailVerifiedAnswer,
  EmailVerifiedView,
  SentAnswer,
  SentView,
  SignedInAnswer,
  SignedInView,
  SignInBody,
  SignUpBody,
} from './auth.dto.js';
import { ConfirmedEmailChangeAnswer, ConfirmedEmailChangeView } from './email.dto.js';
import { SessionCookieInterceptor } from './session-cookie.interceptor.js';
import { SESSION_PLACE, USER_AGENT } from './sign-in-headers.js';
import { TokenBody } from '../../auth/token-body.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { ATTEMPT_ERRORS } from '../attempts/attempts.errors.js';
import { PEOPLE_ERRORS } from '../people.errors.js';

@ApiTags('auth')
@UseInterceptors(SessionCookieInterceptor)
@Controller('api/v1/auth')
export class AuthController {
  constructor(
    private readonly signUps: SignUpService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly verification: EmailVerificationService,
    private readonly emailChanges: EmailChangeConfirmationService,
  ) {}

  @Post('sign-up')
  @Public()
  @RequireFeature('sign_ups')
  @TakesJson()
  @ApiHeader(USER_AGENT)
  @ApiHeader(SESSION_PLACE)
  @ApiOperation({
    summary: 'Creates an account and signs in.',
    description:
      'Also creates a personal organization whose slug is the username, and sends a message to verify the email ' +
      'address. It is refused while the operator has disabled sign-ups.',
  })
  @ApiCreatedResponse({ type: SignedInAnswer })
  @ApiRefusals(
    ...ANY_CALL,
    ...ANY_BODY,
    CREDENTIAL_ERRORS.cross_site_request,
    OPERATOR_ERRORS.feature_disabled,
    PEOPLE_ERRORS.username_taken,
    PEOPLE_ERRORS.email_taken,
  )
  async signUp(
    @Body() body: SignUpBody,
    @Ip() ip: string,
    @Headers('user-agent') userAgent?: string,
    @Headers(SESSION_HEADER) place?: string,
  ): Promise<Envelope<SignedInView>> {
    return new Envelope(
      SignedInView.of(await this.signUps.signUp(body, { ip, userAgent, inCookie: place === IN_COOKIE })),
    );
  }

  @Post('sign-in')
  @NeedsNoStorage()
  @Public()
  @TakesJson()
  @ApiHeader(USER_AGENT)
  @ApiHeader(SESSION_PLACE)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Creates a session that lasts 30 days.',
    description:
      'After ten attempts for one account from one address within 15 minutes, further attempts are refused. ' +
      'An account with a second factor gets `second_factor_required`, with a token for ' +
      'POST /api/v1/auth/second-factor.',
  })
  @ApiOkResponse({ type: SignedInAnswer })
  @ApiRefusals(
    ...ANY_CALL,
    ...ANY_BODY,
    CREDENTIAL_ERRORS.cross_site_request,
    PEOPLE_ERRORS.invalid_credentials,
    CREDENTIAL_ERRORS.second_factor_required,
    ATTEMPT_ERRORS.sign_in_limit_exceeded,
  )
  async signIn(
    @Body() body: SignInBody,
    @Ip() ip: string,
    @Headers('user-agent') userAgent?: string,
    @Headers(SESSION_HEADER) place?: string,
  ): Promise<Envelope<SignedInView>> {
    return new Envelope(
      SignedInView.of(await this.signIns.signIn(body, { ip, userAgent, inCookie: place === IN_COOKIE })),
    );
  }

  @Post('sign-out')
  @NeedsNoStorage()
  @TakesSession('only')
  @RequireCaller()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Ends the current session.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE)
  async signOut(@Caller() call: Call): Promise<void> {
    await this.sessions.signOut(call);
  }

  @Post('verify-email')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Verifies an email address with the token from the message.',
    description: 'A token works once, within 24 hours.',
  })
  @ApiOkResponse({ type: EmailVerifiedAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY, CREDENTIAL_ERRORS.invalid_email_token)
  async verifyEmail(@Body() { token }: TokenBody, @Ip() ip: string): Promise<Envelope<EmailVerifiedView>> {
    await this.verification.verify(token, ip);
    return new Envelope<EmailVerifiedView>({ email_verified: true });
  }

  @Post('verify-email/resend')
  @TakesSession('only')
  @RequireCaller()
  @TakesNothing()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Sends the verification message again.',
    description: 'Nothing is sent if the email address is already verified.',
  })
  @ApiAcceptedResponse({ type: SentAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE)
  async resendVerification(@Caller() call: Call): Promise<Envelope<SentView>> {
    await this.verification.resend(call);
    return new Envelope<SentView>({ sent: true });
  }

  @Post('confirm-email-change')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Confirms a change of an email address with the token from one of its two messages.',
    description:
      'A token works once, within seven days. The address changes when the new address has confirmed it, and the old ' +
      'one has as well or has left it unanswered for 48 hours. All other sessions than the one that asked for it end.',
  })
  @ApiOkResponse({ type: ConfirmedEmailChangeAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY, CREDENTIAL_ERRORS.invalid_email_token, PEOPLE_ERRORS.email_taken)
  async confirmEmailChange(
    @Body() { token }: TokenBody,
    @Ip() ip: string,
  ): Promise<Envelope<ConfirmedEmailChangeView>> {
    return new Envelope(ConfirmedEmailChangeView.of(await this.emailChanges.confirm(token, ip)));
  }
}

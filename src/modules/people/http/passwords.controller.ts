import { Body, Controller, HttpCode, HttpStatus, Ip, Post, Put } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { ForgottenPasswordService } from '../accounts/forgotten-password.service.js';
import { PasswordChangeService } from '../accounts/password-change.service.js';
import { PasswordResetService } from '../accounts/password-reset.service.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { ATTEMPT_ERRORS } from '../attempts/attempts.errors.js';
import { PEOPLE_ERRORS } from '../people.errors.js';
import {
  ChangePasswordBody,
  ForgotPasswordBody,
  PasswordChangedAnswer,
  PasswordChangedView,
  PasswordResetAnswer,
  PasswordResetView,
  ResetPasswordBody,
  SentAnswer,
  SentView,
} from './auth.dto.js';

@ApiTags('auth')
@Controller('api/v1/auth/password')
export class PasswordsController {
  constructor(
    private readonly changes: PasswordChangeService,
    private readonly forgotten: ForgottenPasswordService,
    private readonly resets: PasswordResetService,
  ) {}

  @Put()
  @TakesSession('only')
  @RequireCaller()
  @TakesJson()
  @ApiOperation({
    summary: 'Changes the password and ends all other sessions.',
    description: 'The current password is required. API keys keep working.',
  })
  @ApiOkResponse({ type: PasswordChangedAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PEOPLE_ERRORS.invalid_credentials, ATTEMPT_ERRORS.sign_in_limit_exceeded)
  async change(@Caller() call: Call, @Body() body: ChangePasswordBody): Promise<Envelope<PasswordChangedView>> {
    await this.changes.change({ currentPassword: body.current_password, newPassword: body.new_password }, call);
    return new Envelope<PasswordChangedView>({ changed: true });
  }

  @Post('forgot')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Sends a message for resetting the password.',
    description: 'The response is the same whether or not the email address has an account.',
  })
  @ApiAcceptedResponse({ type: SentAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY)
  async forgot(@Body() { email }: ForgotPasswordBody, @Ip() ip: string): Promise<Envelope<SentView>> {
    await this.forgotten.sendReset(email, ip);
    return new Envelope<SentView>({ sent: true });
  }

  @Post('reset')
  @Public()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Resets the password with the token from the message, and ends all sessions.',
    description:
      'API keys keep working unless `revoke_keys` is true. If the email address was not verified before, all keys ' +
      'are revoked, because another person may have created them. The address counts as verified afterwards.',
  })
  @ApiOkResponse({ type: PasswordResetAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY, CREDENTIAL_ERRORS.invalid_email_token)
  async reset(
    @Body() { token, password, revoke_keys: revokeKeys }: ResetPasswordBody,
    @Ip() ip: string,
  ): Promise<Envelope<PasswordResetView>> {
    const revoked = await this.resets.reset({ token, password, revokeKeys }, ip);
    return new Envelope<PasswordResetView>({ reset: true, revoked_keys: revoked });
  }
}

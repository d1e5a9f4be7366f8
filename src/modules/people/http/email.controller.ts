import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { EmailChangesService } from '../emails/email-changes.service.js';
import { PEOPLE_ERRORS } from '../people.errors.js';
import { ChangeEmailBody, EmailAnswer, EmailChangeAnswer, EmailChangeView, EmailView } from './email.dto.js';

@ApiTags('me')
@TakesSession('only')
@RequireCaller()
@Controller('api/v1/me/email')
export class EmailController {
  constructor(private readonly changes: EmailChangesService) {}

  @Get()
  @ApiOperation({ summary: 'Returns your email address, and the change of it that is in progress.' })
  @ApiOkResponse({ type: EmailAnswer })
  @ApiRefusals(...ANY_CALLER)
  async get(@Caller() { principal: { user } }: Call): Promise<Envelope<EmailView>> {
    return new Envelope(EmailView.of(user, await this.changes.find(user.id)));
  }

  @Post()
  @RequireRecentSignIn()
  @TakesJson()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Begins to change your email address.',
    description:
      'Sends a message to the new address and one to the old address. The change is made when both have confirmed it ' +
      'with POST /api/v1/auth/confirm-email-change, or 48 hours after the request if the old address leaves it ' +
      'unanswered. Another change in progress is cancelled, and a new password cancels this one. The response is the ' +
      'same when the new address belongs to another account.',
  })
  @ApiAcceptedResponse({ type: EmailChangeAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, CREDENTIAL_ERRORS.recent_sign_in_required)
  async change(@Caller() call: Call, @Body() { email }: ChangeEmailBody): Promise<Envelope<EmailChangeView>> {
    return new Envelope(EmailChangeView.of(await this.changes.request(email, call)));
  }

  @Delete('change')
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Cancels the change of your email address that is in progress.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PEOPLE_ERRORS.email_change_not_found)
  async cancel(@Caller() call: Call): Promise<void> {
    await this.changes.cancel(call);
  }
}

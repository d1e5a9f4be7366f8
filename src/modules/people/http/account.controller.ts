import { Controller, Delete, HttpCode, HttpStatus, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { AccountDeletionService } from '../deletion/account-deletion.service.js';
import { PEOPLE_ERRORS } from '../people.errors.js';
import { DeleteAccountQuery } from './account.dto.js';

@ApiTags('me')
@TakesSession('only')
@RequireCaller()
@Controller('api/v1/me')
export class AccountController {
  constructor(private readonly deletion: AccountDeletionService) {}

  @Delete()
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes your account, your personal organization and everything in it.',
    description:
      'It cannot be undone. Your sessions and keys are refused at their next call, what you host stops within ' +
      'moments, and a message confirms it. Organizations without another member are deleted as well. It is refused ' +
      'while you are the only owner of an organization with other members, which `details.organizations` lists. Your ' +
      'username and your email address are free at once. Invoices are kept.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    GENERIC_ERRORS.invalid_request,
    CREDENTIAL_ERRORS.recent_sign_in_required,
    PEOPLE_ERRORS.confirmation_mismatch,
    ORG_ERRORS.last_owner,
  )
  async delete(@Caller() call: Call, @Query() { username }: DeleteAccountQuery): Promise<void> {
    await this.deletion.delete(username, call);
  }
}

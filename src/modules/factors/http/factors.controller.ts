import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Config } from '../../../platform/config/config.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { FactorChangesService } from '../changes/factor-changes.service.js';
import { FACTOR_ERRORS } from '../factors.errors.js';
import { FactorsService } from '../factors.service.js';
import { PasskeySetupService } from '../passkeys/passkey-setup.service.js';
import { TotpSetupService } from '../totp/totp-setup.service.js';
import {
  AddedFactorAnswer,
  AddedFactorView,
  AddPasskeyBody,
  ConfirmTotpBody,
  FactorsAnswer,
  FactorsView,
  NewTotpAnswer,
  NewTotpView,
  PasskeyCreationAnswer,
  PasskeyCreationView,
  RecoveryCodesAnswer,
  RecoveryCodesView,
} from './factors.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;

@ApiTags('factors')
@TakesSession('only')
@RequireCaller()
@Controller('api/v1/me/factors')
export class FactorsController {
  private readonly issuer: string;

  constructor(
    private readonly factors: FactorsService,
    private readonly totp: TotpSetupService,
    private readonly passkeys: PasskeySetupService,
    private readonly changes: FactorChangesService,
    { dashboardUrl }: Config,
  ) {
    this.issuer = new URL(dashboardUrl).hostname;
  }

  @Get()
  @ApiOperation({ summary: 'Lists your second factors.' })
  @ApiOkResponse({ type: FactorsAnswer })
  @ApiRefusals(...ANY_CALLER)
  async list(@Caller() { principal }: Call): Promise<Envelope<FactorsView>> {
    return new Envelope(FactorsView.of(await this.factors.overview(principal.user.id)));
  }

  @Post('totp')
  @RequireRecentSignIn()
  @TakesNothing()
  @ApiOperation({
    summary: 'Creates the secret of an authenticator app.',
    description:
      'The secret is returned once. It begins to count when you confirm it with a code; until then nothing changes. ' +
      'An app that you have set up before is replaced then.',
  })
  @ApiCreatedResponse({ type: NewTotpAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT)
  async beginTotp(@Caller() call: Call): Promise<Envelope<NewTotpView>> {
    const account = call.principal.user.email;
    return new Envelope(NewTotpView.of(await this.totp.begin(call), { issuer: this.issuer, account }));
  }

  @Post('totp/confirm')
  @RequireRecentSignIn()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Confirms an authenticator app with a code, and begins to ask for codes.',
    description: 'With your first factor you get recovery codes, and your other sessions end.',
  })
  @ApiOkResponse({ type: AddedFactorAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, FACTOR_ERRORS.invalid_factor, FACTOR_ERRORS.factor_not_found)
  async confirmTotp(@Caller() call: Call, @Body() { code }: ConfirmTotpBody): Promise<Envelope<AddedFactorView>> {
    return new Envelope(AddedFactorView.of(await this.totp.confirm(call, code)));
  }

  @Post('passkeys/options')
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Returns what a browser needs to create a passkey.',
    description: 'The challenge in it counts once, within five minutes.',
  })
  @ApiOkResponse({ type: PasskeyCreationAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT)
  async passkeyOptions(@Caller() call: Call): Promise<Envelope<PasskeyCreationView>> {
    return new Envelope<PasskeyCreationView>({ options: await this.passkeys.options(call) });
  }

  @Post('passkeys')
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Adds a passkey.',
    description:
      'A passkey signs you in alone, or confirms a sign-in with a password. With your first factor you get recovery ' +
      'codes, and your other sessions end.',
  })
  @ApiCreatedResponse({ type: AddedFactorAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, FACTOR_ERRORS.invalid_factor, FACTOR_ERRORS.factor_limit_reached)
  async addPasskey(@Caller() call: Call, @Body() body: AddPasskeyBody): Promise<Envelope<AddedFactorView>> {
    return new Envelope(AddedFactorView.of(await this.passkeys.add(call, body)));
  }

  @Post('recovery-codes')
  @RequireRecentSignIn()
  @TakesNothing()
  @ApiOperation({
    summary: 'Replaces your recovery codes.',
    description: 'The earlier codes stop working. You need a factor that they stand in for.',
  })
  @ApiCreatedResponse({ type: RecoveryCodesAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT, FACTOR_ERRORS.factor_not_found)
  async renewRecoveryCodes(@Caller() call: Call): Promise<Envelope<RecoveryCodesView>> {
    return new Envelope<RecoveryCodesView>({ recovery_codes: await this.changes.renewRecoveryCodes(call) });
  }

  @Delete(':factor_id')
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Removes one of your factors.',
    description: 'With the last one your recovery codes end, and organizations that require a factor refuse you.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT, FACTOR_ERRORS.factor_not_found)
  async remove(@Caller() call: Call, @Param('factor_id') factorId: string): Promise<void> {
    await this.changes.remove(call, factorId);
  }
}

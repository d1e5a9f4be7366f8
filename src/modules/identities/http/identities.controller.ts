import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { IdentityBeginningsService } from '../changes/identity-beginnings.service.js';
import { IdentityChangesService } from '../changes/identity-changes.service.js';
import { IDENTITY_ERRORS } from '../identities.errors.js';
import { IdentitiesService } from '../identities.service.js';
import { BeginIdentityBody, BegunFlowAnswer, BegunFlowView, IDENTITY_EXAMPLES } from './external-sign-ins.dto.js';
import { wantedIdentityOf } from './wanted-flow.js';
import { ConnectIdentityBody, IdentitiesAnswer, IdentityAnswer, IdentityView } from './identities.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;

@ApiTags('identities')
@TakesSession('only')
@RequireCaller()
@Controller('api/v1/me/identities')
export class IdentitiesController {
  constructor(
    private readonly identities: IdentitiesService,
    private readonly beginnings: IdentityBeginningsService,
    private readonly changes: IdentityChangesService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Lists the accounts at GitHub, Google and SSO connections that you sign in through.' })
  @ApiOkResponse({ type: IdentitiesAnswer })
  @ApiRefusals(...ANY_CALLER)
  async list(@Caller() { principal }: Call): Promise<Envelope<IdentityView[]>> {
    return new Envelope((await this.identities.list(principal.user.id)).map((each) => IdentityView.of(each)));
  }

  @Post()
  @RequireRecentSignIn()
  @TakesJson()
  @ApiBody({ type: BeginIdentityBody, examples: IDENTITY_EXAMPLES })
  @ApiOperation({
    summary: 'Begins to connect an account at GitHub, at Google or at the SSO of an organization.',
    description:
      'As POST /api/v1/auth/flows. Send the code to POST /api/v1/me/identities/complete, as the same person.',
  })
  @ApiCreatedResponse({ type: BegunFlowAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    RECENT,
    GENERIC_ERRORS.integration_not_configured,
    IDENTITY_ERRORS.sso_connection_not_found,
  )
  async begin(@Caller() call: Call, @Body() body: BeginIdentityBody): Promise<Envelope<BegunFlowView>> {
    return new Envelope(BegunFlowView.of(await this.beginnings.begin(wantedIdentityOf(body), call)));
  }

  @Post('complete')
  @TakesJson()
  @ApiOperation({
    summary: 'Connects the account that the code stands for.',
    description: 'It then signs you in. You can have one of each provider and of each SSO connection.',
  })
  @ApiCreatedResponse({ type: IdentityAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, CREDENTIAL_ERRORS.invalid_flow, GENERIC_ERRORS.already_exists)
  async connect(
    @Caller() call: Call,
    @Body() { flow_id: id, code, verifier }: ConnectIdentityBody,
  ): Promise<Envelope<IdentityView>> {
    return new Envelope(IdentityView.of(await this.changes.connect({ id, code, verifier }, call)));
  }

  @Delete(':identity_id')
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Disconnects an account.',
    description:
      'It no longer signs you in, and other sessions that were opened through it end. An account without a password ' +
      'keeps its last one.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    RECENT,
    IDENTITY_ERRORS.identity_not_found,
    IDENTITY_ERRORS.last_sign_in_method,
  )
  async remove(@Caller() call: Call, @Param('identity_id') id: string): Promise<void> {
    await this.changes.remove(id, call);
  }
}

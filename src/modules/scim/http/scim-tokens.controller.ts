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
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { IDENTITY_ERRORS } from '../../identities/identities.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { SCIM_ERRORS } from '../scim.errors.js';
import { ScimTokensService } from '../tokens/scim-tokens.service.js';
import { baseOf } from './scim-route.js';
import {
  CreatedScimTokenAnswer,
  CreatedScimTokenView,
  CreateScimTokenBody,
  ScimTokensAnswer,
  ScimTokenView,
} from './scim-tokens.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;
const MISSING = [ORG_ERRORS.organization_not_found, IDENTITY_ERRORS.sso_connection_not_found];

@ApiTags('sso')
@TakesSession('only')
@Controller('api/v1/orgs/:org_id/sso/connections/:connection_id/scim-tokens')
export class ScimTokensController {
  constructor(
    private readonly tokens: ScimTokensService,
    private readonly config: Config,
  ) {}

  @Get()
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the SCIM tokens of an SSO connection, newest first.',
    description: 'Expired ones are included, revoked ones are not. The tokens themselves are never returned.',
  })
  @ApiOkResponse({ type: ScimTokensAnswer })
  @ApiRefusals(...ANY_CALLER, ...MISSING)
  async list(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
  ): Promise<Envelope<ScimTokenView[]>> {
    return new Envelope((await this.tokens.list(call, { org, id })).map((token) => ScimTokenView.of(token)));
  }

  @Post()
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a SCIM token, with which an identity provider adds and removes people.',
    description:
      'The token is returned only once: enter it and `base_url` at the provider. A connection can have five. Needs a ' +
      'plan that includes SSO.',
  })
  @ApiCreatedResponse({ type: CreatedScimTokenAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, ...MISSING, PLAN_ERRORS.feature_not_in_plan)
  async create(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
    @Body() { name, expires_at }: CreateScimTokenBody,
  ): Promise<Envelope<CreatedScimTokenView>> {
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const token = await this.tokens.create(call, { org, id }, { name, expiresAt });
    return new Envelope(CreatedScimTokenView.created(token, baseOf(this.config.publicUrl, { id: token.connectionId })));
  }

  @Delete(':token_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Revokes a SCIM token.',
    description: 'The provider is refused at its next call with it. People that it added stay.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT, ...MISSING, SCIM_ERRORS.scim_token_not_found)
  async revoke(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
    @Param('token_id') tokenId: string,
  ): Promise<void> {
    await this.tokens.revoke(call, { org, id }, tokenId);
  }
}

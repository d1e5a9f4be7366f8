import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Config } from '../../../platform/config/config.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { IDENTITY_ERRORS } from '../../identities/identities.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { ConnectionStatesService } from '../connections/connection-states.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { SSO_ERRORS } from '../sso.errors.js';
import { createInputOf, updateInputOf } from './connection-inputs.js';
import { SsoConnectionAnswer, SsoConnectionPageAnswer, SsoConnectionView } from './sso-connection-views.js';
import {
  CREATE_CONNECTION_EXAMPLES,
  CreateSsoConnectionBody,
  UPDATE_CONNECTION_EXAMPLES,
  UpdateSsoConnectionBody,
} from './sso-connections.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;
const MISSING = [ORG_ERRORS.organization_not_found, IDENTITY_ERRORS.sso_connection_not_found];

@ApiTags('sso')
@TakesSession('only')
@Controller('api/v1/orgs/:org_id/sso/connections')
export class SsoConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly states: ConnectionStatesService,
    private readonly config: Config,
  ) {}

  @Get()
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the SSO connections of an organization, newest first.',
    description: 'Needs `orgs:write`, as all of SSO. Secrets are never returned.',
  })
  @ApiOkResponse({ type: SsoConnectionPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<SsoConnectionView[]>> {
    return pageEnvelope(await this.connections.list(call, org, query.page), (each) => this.viewOf(each));
  }

  @Post()
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Creates an SSO connection.',
    description:
      'It is a draft: set the provider up with what is returned, test the connection, then activate it. The issuer ' +
      'or the metadata URL is read at once. An organization can have ten. Needs a plan that includes SSO.',
  })
  @ApiBody({ type: CreateSsoConnectionBody, examples: CREATE_CONNECTION_EXAMPLES })
  @ApiCreatedResponse({ type: SsoConnectionAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    RECENT,
    ORG_ERRORS.organization_not_found,
    ORG_ERRORS.personal_organization,
    PLAN_ERRORS.feature_not_in_plan,
  )
  async create(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Body() body: CreateSsoConnectionBody,
  ): Promise<Envelope<SsoConnectionView>> {
    return this.answer(await this.connections.create(call, org, createInputOf(body)));
  }

  @Get(':connection_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an SSO connection without its secrets.' })
  @ApiOkResponse({ type: SsoConnectionAnswer })
  @ApiRefusals(...ANY_CALLER, ...MISSING)
  async get(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
  ): Promise<Envelope<SsoConnectionView>> {
    return this.answer(await this.connections.get(call, { org, id }));
  }

  @Patch(':connection_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Updates an SSO connection. Absent fields stay the same.',
    description:
      'The connection is a draft again, which lets nobody in, when the issuer, the client, the secret, the entity ' +
      'ID, the sign-in URL, all certificates, or the claims of subject or email change. With another issuer, client, ' +
      'entity ID or claim of the subject, it forgets who its people are at the provider and ends their sessions.',
  })
  @ApiOkResponse({ type: SsoConnectionAnswer })
  @ApiBody({ type: UpdateSsoConnectionBody, examples: UPDATE_CONNECTION_EXAMPLES })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, ...MISSING, PLAN_ERRORS.feature_not_in_plan)
  async update(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
    @Body() body: UpdateSsoConnectionBody,
  ): Promise<Envelope<SsoConnectionView>> {
    return this.answer(await this.connections.update(call, { org, id }, updateInputOf(body)));
  }

  @Delete(':connection_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes an SSO connection.',
    description:
      'Its identities go, and the sessions that came through it end, except yours. Without an active connection SSO ' +
      'is required no longer: only an owner can do that then.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT, ...MISSING)
  async delete(@Caller() call: Call, @Param('org_id') org: string, @Param('connection_id') id: string): Promise<void> {
    await this.states.delete(call, { org, id });
  }

  @Post(':connection_id/activate')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Activates an SSO connection, so that people sign in through it.',
    description:
      'Only an owner can, because a connection says who people are. It must be tested, and the organization must ' +
      'have a verified domain. Of several active connections, people get the one that was activated last. Needs a ' +
      'plan that includes SSO.',
  })
  @ApiOkResponse({ type: SsoConnectionAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    RECENT,
    ...MISSING,
    PLAN_ERRORS.feature_not_in_plan,
    SSO_ERRORS.connection_not_tested,
    SSO_ERRORS.domain_not_verified,
  )
  async activate(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
  ): Promise<Envelope<SsoConnectionView>> {
    return this.answer(await this.states.activate(call, { org, id }));
  }

  @Post(':connection_id/pause')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Pauses an active SSO connection.',
    description:
      'Nobody signs in through it until it is activated again. Without an active connection SSO is required no ' +
      'longer: only an owner can do that then.',
  })
  @ApiOkResponse({ type: SsoConnectionAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, RECENT, ...MISSING)
  async pause(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
  ): Promise<Envelope<SsoConnectionView>> {
    return this.answer(await this.states.pause(call, { org, id }));
  }

  private answer(connection: SsoConnection): Envelope<SsoConnectionView> {
    return new Envelope(this.viewOf(connection));
  }

  private viewOf(connection: SsoConnection): SsoConnectionView {
    return SsoConnectionView.of(connection, this.config.publicUrl);
  }
}

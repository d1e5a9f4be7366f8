import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Config } from '../../../platform/config/config.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { IDENTITY_ERRORS } from '../../identities/identities.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { SamlAnswersService } from '../answers/saml-answers.service.js';
import { ConnectionTestsService } from '../connections/connection-tests.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { SAML_METADATA_TYPE } from './saml-metadata-type.js';
import {
  BegunTestAnswer,
  BegunTestView,
  TestedConnectionAnswer,
  TestedConnectionView,
} from './sso-connection-views.js';
import { BeginConnectionTestBody, CompleteConnectionTestBody } from './sso-connections.dto.js';

const RECENT = CREDENTIAL_ERRORS.recent_sign_in_required;
const MISSING = [ORG_ERRORS.organization_not_found, IDENTITY_ERRORS.sso_connection_not_found];

/** What an administrator needs to set a connection up at the provider, and to try it. */
@ApiTags('sso')
@TakesSession('only')
@Controller('api/v1/orgs/:org_id/sso/connections/:connection_id')
export class ConnectionTestsController {
  constructor(
    private readonly tests: ConnectionTestsService,
    private readonly connections: ConnectionsService,
    private readonly saml: SamlAnswersService,
    private readonly config: Config,
  ) {}

  @Post('test')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Begins a test of an SSO connection.',
    description:
      'Open `authorize_url` in your browser and sign in at the provider, as yourself. Send the code that comes back ' +
      'to `test/complete`. All of it takes ten minutes at most. Needs a plan that includes SSO.',
  })
  @ApiCreatedResponse({ type: BegunTestAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, RECENT, ...MISSING, PLAN_ERRORS.feature_not_in_plan)
  async begin(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
    @Body() { return_to: returnTo, challenge }: BeginConnectionTestBody,
  ): Promise<Envelope<BegunTestView>> {
    return new Envelope(BegunTestView.of(await this.tests.begin(call, { org, id }, { returnTo, challenge })));
  }

  @Post('test/complete')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Completes a test of an SSO connection, which can be activated then.',
    description: 'Returns what the provider says of you. From then on, this identity signs you in.',
  })
  @ApiOkResponse({ type: TestedConnectionAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    RECENT,
    ...MISSING,
    PLAN_ERRORS.feature_not_in_plan,
    CREDENTIAL_ERRORS.invalid_flow,
    GENERIC_ERRORS.already_exists,
  )
  async complete(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
    @Body() { flow_id: flowId, code, verifier }: CompleteConnectionTestBody,
  ): Promise<Envelope<TestedConnectionView>> {
    const tested = await this.tests.complete(call, { org, id }, { id: flowId, code, verifier });
    return new Envelope(TestedConnectionView.tested(tested, this.config.publicUrl));
  }

  @Get('metadata')
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns the metadata of this service for the SAML provider of a connection.',
    description: 'The same is public at `saml.metadata_url`.',
  })
  @ApiProduces(SAML_METADATA_TYPE)
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiRefusals(...ANY_CALLER, ...MISSING)
  async metadata(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('connection_id') id: string,
  ): Promise<RawAnswer> {
    const connection = await this.connections.get(call, { org, id });
    return new RawAnswer(Buffer.from(await this.saml.metadataOf(connection.id)), SAML_METADATA_TYPE);
  }
}

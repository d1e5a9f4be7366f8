import { Body, Controller, Get, Ip, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { Public } from '../../../platform/http/public.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { IDENTITY_ERRORS } from '../identities.errors.js';
import { ExternalSignInsService } from '../external-sign-ins.service.js';
import { FlowBeginningsService } from '../flows/flow-beginnings.service.js';
import {
  BeginFlowBody,
  BegunFlowAnswer,
  BegunFlowView,
  FLOW_EXAMPLES,
  SignInMethodsAnswer,
  SignInMethodsView,
} from './external-sign-ins.dto.js';
import { wantedFlowOf } from './wanted-flow.js';

const MISSING = IDENTITY_ERRORS.sso_connection_not_found;

@ApiTags('auth')
@Controller('api/v1/auth')
export class ExternalSignInsController {
  constructor(
    private readonly signIns: ExternalSignInsService,
    private readonly flows: FlowBeginningsService,
  ) {}

  @Get('methods')
  @Public()
  @ApiOperation({ summary: 'Lists the providers that people can sign in through.' })
  @ApiOkResponse({ type: SignInMethodsAnswer })
  @ApiRefusals(...ANY_CALL)
  list(): Envelope<SignInMethodsView> {
    return new Envelope<SignInMethodsView>({ providers: this.signIns.listProviders() });
  }

  @Post('flows')
  @Public()
  @TakesJson()
  @ApiBody({ type: BeginFlowBody, examples: FLOW_EXAMPLES })
  @ApiOperation({
    summary: 'Begins a sign-in with GitHub, Google or SSO, or that of a program.',
    description:
      'Open `authorize_url` in the browser of the person. It returns to `return_to` with a code, which counts once ' +
      'within a minute: send it to POST /api/v1/auth/flows/{flow_id}/complete. All of it takes ten minutes at most. ' +
      'With `sso`, `email` or `org` names the connection. With `browser`, `authorize_url` is a page of the dashboard ' +
      'where a person lets the program in.',
  })
  @ApiCreatedResponse({ type: BegunFlowAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY, GENERIC_ERRORS.integration_not_configured, MISSING)
  async begin(@Body() body: BeginFlowBody, @Ip() ip: string): Promise<Envelope<BegunFlowView>> {
    return new Envelope(BegunFlowView.of(await this.flows.begin(wantedFlowOf(body), ip)));
  }
}

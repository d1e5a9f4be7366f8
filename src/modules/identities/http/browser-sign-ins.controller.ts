import { Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireCaller, TakesSession } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { BrowserSignInDecisionsService } from '../browser/browser-sign-in-decisions.service.js';
import { DecidedFlowAnswer, DecidedFlowView, WaitingFlowAnswer, WaitingFlowView } from './browser-sign-ins.dto.js';

const INVALID = CREDENTIAL_ERRORS.invalid_flow;

@ApiTags('auth')
@TakesSession('only')
@RequireCaller()
@Controller('api/v1/auth/flows')
export class BrowserSignInsController {
  constructor(private readonly decisions: BrowserSignInDecisionsService) {}

  @Get(':flow_id')
  @ApiOperation({ summary: 'Returns the sign-in of a program that waits for a decision.' })
  @ApiOkResponse({ type: WaitingFlowAnswer })
  @ApiRefusals(...ANY_CALLER, INVALID)
  async get(@Param('flow_id') id: string): Promise<Envelope<WaitingFlowView>> {
    return new Envelope(WaitingFlowView.of(await this.decisions.find(id)));
  }

  @Post(':flow_id/approve')
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Lets a program sign in as you.',
    description:
      'It gets a session that counts as recent for as long as yours does. Open `redirect_to` in this browser within ' +
      'a minute. Approve only what you began yourself.',
  })
  @ApiOkResponse({ type: DecidedFlowAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, INVALID, CREDENTIAL_ERRORS.recent_sign_in_required)
  async approve(@Caller() call: Call, @Param('flow_id') id: string): Promise<Envelope<DecidedFlowView>> {
    return new Envelope<DecidedFlowView>({ redirect_to: await this.decisions.approve(id, call) });
  }

  @Post(':flow_id/deny')
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Refuses to let a program sign in as you, which ends its sign-in.' })
  @ApiOkResponse({ type: DecidedFlowAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, INVALID)
  async deny(@Param('flow_id') id: string): Promise<Envelope<DecidedFlowView>> {
    return new Envelope<DecidedFlowView>({ redirect_to: await this.decisions.deny(id) });
  }
}

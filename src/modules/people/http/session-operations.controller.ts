import { Body, Controller, Delete, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { SessionEndingService } from '../accounts/session-ending.service.js';
import { PEOPLE_ERRORS } from '../people.errors.js';
import {
  EndedSessionsOfPersonView,
  EndedSessionsView,
  EndSessionsBody,
  UserParameter,
} from './session-operations.dto.js';

const NEEDS = 'Requires `OPS_TOKEN` as the bearer token and is disabled while that is not set. Keys keep working.';

@ApiTags('operations')
@Controller('ops')
// Not every program on the machine may sign everyone out.
@RequireOperatorToken('money')
export class SessionOperationsController {
  constructor(private readonly ending: SessionEndingService) {}

  @Delete('users/:user/sessions')
  @TakesNothing()
  @ApiOperation({ summary: 'Ends all sessions of a person.', description: NEEDS })
  @ApiOkResponse({ type: EndedSessionsOfPersonView })
  @ApiRefusals(...ANY_OPERATOR, ...ANY_WRITE, PEOPLE_ERRORS.account_not_found, GENERIC_ERRORS.service_unavailable)
  async endOf(@Param() { user }: UserParameter): Promise<EndedSessionsOfPersonView> {
    return { sessions: await this.ending.endOf(user) };
  }

  @Post('sessions/end')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Ends the sessions of all people that were opened until a time, 200 people in each call.',
    description: NEEDS,
  })
  @ApiOkResponse({ type: EndedSessionsView })
  @ApiRefusals(...ANY_OPERATOR, ...ANY_BODY, GENERIC_ERRORS.service_unavailable)
  async end(@Body() { openedUntil }: EndSessionsBody): Promise<EndedSessionsView> {
    return EndedSessionsView.of(await this.ending.endUntil(new Date(openedUntil)));
  }
}

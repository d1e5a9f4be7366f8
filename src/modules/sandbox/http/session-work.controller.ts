import { Body, Controller, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ErrorDefinition } from '../../../platform/errors/define-errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { streamedOr } from './execution-events.js';
import { OrgExecutionAnswer, type OrgExecutionView, type RehearsalView } from './executions.dto.js';
import { SESSION_PARAMETER } from './sandbox-sessions.controller.js';
import { SessionRunBody, SessionShellBody } from './sandbox-sessions.dto.js';
import { SessionWorkAnswers } from './session-work-answers.js';

/** The largest code and input together, with room for JSON escapes. */
const BODY_BYTES = 1_048_576;
const IN_TURN =
  'Runs and commands of a session take turns: this one waits for those before it, at most for `queue_timeout_ms`. ' +
  'It is an execution, so it is listed and cancelled as one. The price of the time limit is held, and only the time ' +
  'that it takes is charged. Closing the connection ends it. With `Accept: text/event-stream`, the output is sent ' +
  'while it runs. With `wait: false`, closing the connection does not end it: continue with ' +
  '`GET /api/v1/sandbox/executions/{execution_id}/events`.';
const ACCEPTED = {
  type: OrgExecutionAnswer,
  description: 'With `wait: false`, it runs when its turn comes, whether or not you ask for the result.',
};

const REFUSALS: readonly ErrorDefinition[] = [
  ...ANY_CALLER,
  ...ANY_BODY,
  CREDIT_ERRORS.credits_exhausted,
  CREDIT_ERRORS.spend_cap_reached,
  CREDIT_ERRORS.budget_exceeded,
  OPERATOR_ERRORS.feature_disabled,
  LIMIT_ERRORS.concurrency_limit_exceeded,
  SANDBOX_ERRORS.sandbox_session_not_found,
  SANDBOX_ERRORS.sandbox_session_over,
  SANDBOX_ERRORS.sandbox_session_busy,
  SANDBOX_ERRORS.sandbox_unavailable,
];

type Answer = Envelope<OrgExecutionView | RehearsalView> | undefined;

@ApiTags('sandbox')
@Controller('api/v1/sandbox/sessions/:session_id')
export class SessionWorkController {
  constructor(private readonly answers: SessionWorkAnswers) {}

  @Post('runs')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @RequireFeature('sandbox_executions')
  @TakesJson({ actsOutside: true, limitBytes: BODY_BYTES })
  @ApiParam(SESSION_PARAMETER)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Runs code in a session, with the variables and files that earlier runs left.',
    description: IN_TURN,
  })
  @ApiExtraModels(OrgExecutionAnswer)
  @ApiOkResponse(streamedOr(OrgExecutionAnswer))
  @ApiAcceptedResponse(ACCEPTED)
  @ApiRefusals(...REFUSALS)
  run(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @Body() body: SessionRunBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Answer> {
    return this.answers.answer({ call, id, body }, response);
  }

  @Post('shell')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @RequireFeature('sandbox_executions')
  @TakesJson({ actsOutside: true, limitBytes: BODY_BYTES })
  @ApiParam(SESSION_PARAMETER)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Runs a command of the shell in the working directory of a session.',
    description: `${IN_TURN} \`exit_code\` is that of the command.`,
  })
  @ApiExtraModels(OrgExecutionAnswer)
  @ApiOkResponse(streamedOr(OrgExecutionAnswer))
  @ApiAcceptedResponse(ACCEPTED)
  @ApiRefusals(...REFUSALS)
  shell(
    @Caller() call: Call,
    @Param('session_id') id: string,
    @Body() body: SessionShellBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Answer> {
    return this.answers.answer({ call, id, body }, response);
  }
}

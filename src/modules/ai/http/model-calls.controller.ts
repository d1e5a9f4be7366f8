import { applyDecorators, Controller, HttpCode, HttpStatus, Post, Res, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { AI_ERRORS } from '../ai.errors.js';
import { type CallAnswer, CallAnswers } from './call-answers.js';
import { ChatCompletionBody, EmbeddingsBody, MessageBody, PricedCallAnswer, ResponseBody } from './model-calls.dto.js';

/** Pictures are sent as text, so that bodies are large. */
const BODY_BYTES = 8 * 1_048_576;
const REFUSALS = [
  ...ANY_CALLER,
  ...ANY_BODY,
  CREDIT_ERRORS.credits_exhausted,
  CREDIT_ERRORS.spend_cap_reached,
  CREDIT_ERRORS.budget_exceeded,
  OPERATOR_ERRORS.feature_disabled,
  LIMIT_ERRORS.concurrency_limit_exceeded,
  AI_ERRORS.token_rate_limit_exceeded,
  AI_ERRORS.model_not_found,
  AI_ERRORS.model_not_allowed,
  AI_ERRORS.secret_in_prompt,
  AI_ERRORS.provider_key_refused,
  GENERIC_ERRORS.upstream_error,
  AI_ERRORS.model_unavailable,
  AI_ERRORS.model_router_not_configured,
];

/** With `Dry-Run: true` the answer is that of the service, and otherwise that of the protocol. */
const ANSWER = {
  schema: { anyOf: [{ type: 'object', additionalProperties: true }, { $ref: getSchemaPath(PricedCallAnswer) }] },
};

const STREAMED_ANSWER = {
  description: 'The answer.',
  content: { 'application/json': ANSWER, 'text/event-stream': { schema: { type: 'string' } } },
};

/** What all routes that call a model have in common. */
const ModelCall = (path: string, body: Type): MethodDecorator =>
  applyDecorators(
    Post(path),
    RequireScope('ai:invoke'),
    RequireFeature('ai_inference'),
    TakesJson({ actsOutside: true, limitBytes: BODY_BYTES }),
    HttpCode(HttpStatus.OK),
    ApiBody({ type: body }),
    ApiRefusals(...REFUSALS),
  );

/** Calls in the forms of OpenAI and Anthropic. Their clients expect the bodies as they are, without an envelope. */
@ApiTags('ai')
@ApiExtraModels(PricedCallAnswer)
@Controller('api/v1/ai')
export class ModelCallsController {
  constructor(private readonly answers: CallAnswers) {}

  @ModelCall('chat/completions', ChatCompletionBody)
  @ApiOperation({
    summary: 'Lets a model answer a conversation.',
    description:
      'Takes what the chat completions of OpenAI take, and answers in their form, without an envelope: tools, JSON ' +
      'schemas and images included. The price of the longest answer is held, and the tokens that are used are ' +
      'charged, also when you close the connection. `X-Service-Generation` names the generation, and ' +
      '`X-Service-Cost` its price in US dollars. A stream that breaks ends with an event with `error`. With ' +
      '`Dry-Run: true` nothing is sent, and `data.max_cost` is what would be held. `Idempotency-Key` cannot be used ' +
      'with `stream`.',
  })
  @ApiOkResponse(STREAMED_ANSWER)
  chat(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<CallAnswer> {
    return this.answers.answer(call, 'chat_completions', { response, dryRun, hangUp });
  }

  @ModelCall('embeddings', EmbeddingsBody)
  @ApiOperation({
    summary: 'Returns the embeddings of texts.',
    description:
      'Takes what the embeddings of OpenAI take, and answers in their form, without an envelope. `X-Service-Cost` is ' +
      'the price in US dollars. With `Dry-Run: true` nothing is sent, and `data.max_cost` is what would be held.',
  })
  @ApiOkResponse({
    description: 'The embeddings.',
    content: { 'application/json': ANSWER },
  })
  embed(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<CallAnswer> {
    return this.answers.answer(call, 'embeddings', { response, dryRun, hangUp });
  }

  @ModelCall('responses', ResponseBody)
  @ApiOperation({
    summary: 'Lets a model answer by the Responses API.',
    description:
      'Takes what the Responses API of OpenAI takes, and answers in its form, without an envelope. Nothing is kept: ' +
      '`store` is false, and `background`, `previous_response_id`, `conversation` and `prompt` are refused, as are ' +
      'tools that the provider runs. Prices, headers and `Dry-Run` are those of chat completions. A stream that ' +
      'breaks ends with an event `error`.',
  })
  @ApiOkResponse(STREAMED_ANSWER)
  respond(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<CallAnswer> {
    return this.answers.answer(call, 'responses', { response, dryRun, hangUp });
  }

  @ModelCall('messages', MessageBody)
  @ApiOperation({
    summary: 'Lets a model answer by the Messages API.',
    description:
      'Takes what the Messages API of Anthropic takes, and answers in its form, without an envelope. `max_tokens` is ' +
      'required. Tools that Anthropic runs, `mcp_servers` and `container` are refused, and the header ' +
      '`anthropic-beta` is not passed on. Prices, headers and `Dry-Run` are those of chat completions. A stream that ' +
      'breaks ends with an event `error`.',
  })
  @ApiOkResponse(STREAMED_ANSWER)
  message(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<CallAnswer> {
    return this.answers.answer(call, 'messages', { response, dryRun, hangUp });
  }

  /** The clients of Anthropic add `/v1/messages` to their base URL. */
  @ModelCall('v1/messages', MessageBody)
  @ApiOperation({
    summary: 'Lets a model answer by the Messages API, at the path of the clients of Anthropic.',
    description: 'Does the same as `POST /api/v1/ai/messages`, for clients that add `/v1/messages` to a base URL.',
  })
  @ApiOkResponse(STREAMED_ANSWER)
  messageOfClients(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<CallAnswer> {
    return this.answers.answer(call, 'messages', { response, dryRun, hangUp });
  }
}

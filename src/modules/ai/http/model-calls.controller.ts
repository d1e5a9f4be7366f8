import { Controller, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { failureOf } from '../../../platform/http/failure.js';
import { HangUpSignal } from '../../../platform/http/hang-up.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { AI_ERRORS } from '../ai.errors.js';
import { type CallProtocol, CallRequest } from '../calls/call-request.js';
import { ModelCallsService } from '../calls/model-calls.service.js';
import { ChatCompletionBody, EmbeddingsBody, PricedCallAnswer, PricedCallView } from './model-calls.dto.js';
import { headersOf, StreamAnswer } from './stream-answer.js';

/** Pictures are sent as text, so that bodies are large. */
const BODY_BYTES = 8 * 1_048_576;
const REHEARSED = { dry_run: true };
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

/** With `Dry-Run: true` the answer is that of the service, and otherwise that of OpenAI. */
const ANSWER = {
  schema: { anyOf: [{ type: 'object', additionalProperties: true }, { $ref: getSchemaPath(PricedCallAnswer) }] },
};

type Answer = RawAnswer | Envelope<PricedCallView> | undefined;

/** Calls in the form of OpenAI. Its clients expect the bodies as they are, and so they have no envelope. */
@ApiTags('ai')
@ApiExtraModels(PricedCallAnswer)
@Controller('api/v1/ai')
export class ModelCallsController {
  constructor(
    private readonly calls: ModelCallsService,
    private readonly config: Config,
  ) {}

  @Post('chat/completions')
  @RequireScope('ai:invoke')
  @RequireFeature('ai_inference')
  @TakesJson({ actsOutside: true, limitBytes: BODY_BYTES })
  @HttpCode(HttpStatus.OK)
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
  @ApiBody({ type: ChatCompletionBody })
  @ApiOkResponse({
    description: 'The answer.',
    content: {
      'application/json': ANSWER,
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiRefusals(...REFUSALS)
  chat(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<Answer> {
    return this.answer(call, 'chat_completions', { response, dryRun, hangUp });
  }

  @Post('embeddings')
  @RequireScope('ai:invoke')
  @RequireFeature('ai_inference')
  @TakesJson({ actsOutside: true, limitBytes: BODY_BYTES })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Returns the embeddings of texts.',
    description:
      'Takes what the embeddings of OpenAI take, and answers in their form, without an envelope. `X-Service-Cost` is ' +
      'the price in US dollars. With `Dry-Run: true` nothing is sent, and `data.max_cost` is what would be held.',
  })
  @ApiBody({ type: EmbeddingsBody })
  @ApiOkResponse({
    description: 'The embeddings.',
    content: { 'application/json': ANSWER },
  })
  @ApiRefusals(...REFUSALS)
  embed(
    @Caller() call: Call,
    @Res({ passthrough: true }) response: Response,
    @DryRun() dryRun: boolean,
    @HangUpSignal() hangUp: AbortSignal,
  ): Promise<Answer> {
    return this.answer(call, 'embeddings', { response, dryRun, hangUp });
  }

  private async answer(call: Call, protocol: CallProtocol, { response, dryRun, hangUp }: Exchange): Promise<Answer> {
    const { req: request } = response;
    const asked = new CallRequest(protocol, request.body as Readonly<Record<string, unknown>>);
    if (asked.isStream) requireNoKey(request);
    if (dryRun) return new Envelope(PricedCallView.of(await this.calls.rehearse(call, asked)), REHEARSED);
    if (!asked.isStream) {
      const { head, body, costNano } = await this.calls.complete(call, asked, hangUp);
      return new RawAnswer(body, 'application/json', {
        ...headersOf(head),
        ...(costNano === undefined ? {} : { 'X-Service-Cost': formatUsd(costNano) }),
      });
    }
    const render = (error: Parameters<typeof failureOf>[0]): object =>
      failureOf(error, call.requestId, this.config, false).body;
    await this.calls.stream(call, asked, new StreamAnswer(response, hangUp, render));
    response.end();
    return undefined;
  }
}

interface Exchange {
  readonly response: Response;
  readonly dryRun: boolean;
  readonly hangUp: AbortSignal;
}

/** A stream cannot be repeated from the record of a key. @throws {RequestInvalid} `invalid_request` */
function requireNoKey({ headers }: Request): void {
  if (headers['idempotency-key'] === undefined) return;
  throw new RequestInvalid([
    {
      path: 'Idempotency-Key',
      in: 'header',
      code: 'not_with_stream',
      message: 'Idempotency-Key cannot be used with "stream": true.',
    },
  ]);
}

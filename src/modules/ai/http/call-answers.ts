import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { failureOf } from '../../../platform/http/failure.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { requireNoKey } from '../../../platform/http/streamed-write.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { Call } from '../../auth/caller.js';
import { CallRequest } from '../calls/call-request.js';
import { ModelCallsService } from '../calls/model-calls.service.js';
import type { Protocol } from '../routers/model-router.js';
import { errorEvent } from './error-event.js';
import { PricedCallView } from './model-calls.dto.js';
import { headersOf, StreamAnswer } from './stream-answer.js';

const REHEARSED = { dry_run: true };

/** Undefined when the answer was sent as a stream. */
export type CallAnswer = RawAnswer | Envelope<PricedCallView> | undefined;

/** One request and its response. */
export interface Exchange {
  readonly response: Response;
  readonly dryRun: boolean;
  readonly hangUp: AbortSignal;
}

/** Answers calls of all protocols: as a stream, as a whole, or only with the price. */
@Injectable()
export class CallAnswers {
  constructor(
    private readonly calls: ModelCallsService,
    private readonly config: Config,
  ) {}

  async answer(call: Call, protocol: Protocol, { response, dryRun, hangUp }: Exchange): Promise<CallAnswer> {
    const { req: request } = response;
    const asked = new CallRequest(protocol, request.body as Readonly<Record<string, unknown>>);
    if (asked.isStream) requireNoKey(request, '"stream": true');
    if (dryRun) return new Envelope(PricedCallView.of(await this.calls.rehearse(call, asked)), REHEARSED);
    if (!asked.isStream) {
      const { head, body, costNano } = await this.calls.complete(call, asked, hangUp);
      return new RawAnswer(body, 'application/json', {
        ...headersOf(head),
        ...(costNano === undefined ? {} : { 'X-Service-Cost': formatUsd(costNano) }),
      });
    }
    const render = (error: Parameters<typeof failureOf>[0]): string =>
      errorEvent(protocol, failureOf(error, call.requestId, this.config, false).body);
    await this.calls.stream(call, asked, new StreamAnswer(response, hangUp, render));
    response.end();
    return undefined;
  }
}

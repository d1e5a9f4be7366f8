import { Injectable, type Type } from '@nestjs/common';
import { type ApiResponseNoStatusOptions, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { hangUpOf } from '../../../platform/http/hang-up.js';
import { wantsEventStream } from '../../../platform/http/last-event-id.js';
import { type SentEvent, sendLive, type SentNews } from '../../../platform/http/live-answer.js';
import { StreamFailures } from '../../../platform/http/stream-failures.js';
import type { OrgExecutionNews } from '../executions/execution-streams.js';
import type { NumberedPiece } from '../output/output-follower.js';
import type { AnonymousNews } from '../runs/anonymous-streams.js';
import { OrgExecutionView } from './executions.dto.js';
import { ExecutionView } from './sandbox.dto.js';

/** What asks for a stream, in errors. */
export const STREAM_TYPE = '"Accept: text/event-stream"';
/** Before all events. */
const NOTHING = -1;
const EXECUTION_SEQ = 0;
/** Larger than the number of any piece, so that what follows the output has the same number in every stream. */
const RESULT_SEQ = 1_000_000_000;
export const END_SEQ = RESULT_SEQ + 1;

/** The description of an answer that is a stream if the caller wants one. */
export const streamedOr = (answer: Type): ApiResponseNoStatusOptions => ({
  description: 'The code ran; `data.status` says how it ended.',
  content: {
    'application/json': { schema: { $ref: getSchemaPath(answer) } },
    'text/event-stream': { schema: { type: 'string' } },
  },
});

/** Sends the news of executions as events. */
@Injectable()
export class ExecutionEvents {
  constructor(private readonly failures: StreamFailures) {}

  /** Leaves out the events up to the number `after`, which the caller has. */
  async sendOfOrg(response: Response, news: AsyncIterable<OrgExecutionNews>, after = NOTHING): Promise<void> {
    await this.send(response, news, after, (each) => {
      if ('execution' in each)
        return { events: [{ seq: EXECUTION_SEQ, type: 'execution', data: OrgExecutionView.ofAny(each.execution) }] };
      if ('pieces' in each) return { events: each.pieces.map(eventOf) };
      if ('error' in each) return this.failed(response, each.error);
      const data = OrgExecutionView.of(each.result);
      return { events: [{ seq: RESULT_SEQ, type: 'result', data }], end: { status: data.status } };
    });
  }

  async sendAnonymous(response: Response, news: AsyncIterable<AnonymousNews>): Promise<void> {
    await this.send(response, news, NOTHING, (each) => {
      if ('pieces' in each) return { events: each.pieces.map(eventOf) };
      if ('error' in each) return this.failed(response, each.error);
      const data = ExecutionView.of(each.result);
      const end = { status: data.status, remaining_executions: each.result.remaining };
      return { events: [{ seq: RESULT_SEQ, type: 'result', data }], end };
    });
  }

  private failed(response: Response, error: unknown): Sent {
    const data = this.failures.bodyOf(error, response.req);
    return { events: [{ seq: RESULT_SEQ, type: 'error', data }], end: {} };
  }

  private async send<News>(
    response: Response,
    news: AsyncIterable<News>,
    after: number,
    sentOf: (news: News) => Sent,
  ): Promise<void> {
    const format = wantsEventStream(response.req) ? 'events' : 'lines';
    await sendLive(response, format, sentNews(news, after, sentOf), hangUpOf(response));
  }
}

interface Sent {
  readonly events: readonly SentEvent[];
  readonly end?: object;
}

async function* sentNews<News>(
  news: AsyncIterable<News>,
  after: number,
  sentOf: (news: News) => Sent,
): AsyncGenerator<SentNews> {
  for await (const each of news) {
    const { events, end } = sentOf(each);
    yield { events: events.filter(({ seq }) => seq > after) };
    if (end !== undefined) yield { end, seq: END_SEQ };
  }
}

const eventOf = ({ seq, stream, text }: NumberedPiece): SentEvent => ({ seq, type: stream, data: { text } });

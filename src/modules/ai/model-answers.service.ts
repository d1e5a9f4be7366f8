import { Injectable } from '@nestjs/common';
import { CallerHungUp } from '../../platform/errors/caller-hung-up.js';
import type { DomainError } from '../../platform/errors/domain-error.js';
import type { Call } from '../auth/caller.js';
import { UpstreamFailed } from './ai.errors.js';
import { type AskedToolCall, ChatAnswer } from './answers/chat-answer.js';
import type { AnswerHead, AnswerSink } from './calls/answer-sink.js';
import { CallRequest } from './calls/call-request.js';
import { ModelCallsService } from './calls/model-calls.service.js';
import { ModelsService } from './catalog/models.service.js';

/** A conversation, in the form of chat completions. */
export interface Conversation {
  /** The first model answers, and the others when it is unavailable. */
  readonly models: readonly string[];
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** The functions that the model may call, in the form of chat completions. */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly maxTokens: number | null;
  readonly temperature: number | null;
}

export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly AskedToolCall[];
  readonly model: string;
  readonly generationId: string;
  readonly finishReason: string | null;
  /** Null when the router has not reported it with the answer. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Null when the price was not known in time. It is charged later. */
  readonly costNano: bigint | null;
}

interface Listening {
  /** The answer is stopped, and charged for, when it is aborted. */
  readonly signal: AbortSignal;
  /** Gets the text while it is generated. */
  readonly onText: (text: string) => void;
}

/** Lets models answer, for modules whose work needs it. */
@Injectable()
export class ModelAnswersService {
  constructor(
    private readonly calls: ModelCallsService,
    private readonly models: ModelsService,
  ) {}

  /**
   * Returns the answer of a model. It is charged for as any other call.
   *
   * @throws {UpstreamFailed} `upstream_error`, and as {@link ModelCallsService.stream}.
   */
  async answer(call: Call, conversation: Conversation, listening: Listening): Promise<ModelAnswer> {
    const sink = new CollectingSink(listening);
    const { costNano } = await this.calls.stream(call, requestOf(conversation), sink);
    if (listening.signal.aborted) throw new CallerHungUp();
    if (sink.failure !== undefined) throw sink.failure;
    const { head, answer } = sink;
    if (head === undefined || answer === undefined) throw new Error('A call of a model ended without an answer.');
    answer.end();
    if (answer.isTooLong) throw new UpstreamFailed(head.model, head.generationId);
    return {
      text: answer.text,
      toolCalls: answer.toolCalls,
      model: head.model,
      generationId: head.generationId,
      finishReason: answer.finishReason ?? null,
      inputTokens: answer.inputTokens ?? null,
      outputTokens: answer.outputTokens ?? null,
      costNano: costNano ?? null,
    };
  }

  /** Returns how many tokens a model can read, or null when that is not known. */
  async contextTokensOf(model: string): Promise<number | null> {
    return (await this.models.find(model))?.contextTokens ?? null;
  }
}

function requestOf({ models, messages, tools, maxTokens, temperature }: Conversation): CallRequest {
  const [model, ...others] = models;
  return new CallRequest('chat_completions', {
    model,
    ...(others.length === 0 ? {} : { models: others }),
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    stream: true,
    stream_options: { include_usage: true },
  });
}

class CollectingSink implements AnswerSink {
  head: AnswerHead | undefined;
  answer: ChatAnswer | undefined;
  failure: DomainError | undefined;
  readonly hangUp: AbortSignal;

  constructor(private readonly listening: Listening) {
    this.hangUp = listening.signal;
  }

  begin(head: AnswerHead): void {
    this.head = head;
    this.answer = new ChatAnswer(head.contentType.startsWith('text/event-stream'), this.listening.onText);
  }

  write(bytes: Buffer): Promise<void> {
    this.answer?.push(bytes);
    return Promise.resolve();
  }

  fail(error: DomainError): void {
    this.failure = error;
  }
}

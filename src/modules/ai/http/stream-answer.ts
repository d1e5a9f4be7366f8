import type { ServerResponse } from 'node:http';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import type { AnswerHead, AnswerSink } from '../calls/answer-sink.js';

/** A reader that takes nothing for this long is taken for gone. */
const SLOWEST_READ_MS = 120_000;

/** The headers of an answer, which no client of the protocols looks at. */
export function headersOf({ generationId, model, maxTokens }: AnswerHead): Record<string, string> {
  return {
    'X-Service-Generation': generationId,
    'X-Service-Model': model,
    ...(maxTokens === undefined ? {} : { 'X-Service-Max-Tokens': String(maxTokens) }),
    'Cache-Control': 'no-store',
  };
}

/** Sends an answer to its caller as fast as it is generated, and no faster than it is read. */
export class StreamAnswer implements AnswerSink {
  constructor(
    private readonly response: ServerResponse,
    readonly hangUp: AbortSignal,
    /** Renders an error as an event on which clients of the protocol fail. */
    private readonly render: (error: DomainError) => string,
  ) {}

  begin(head: AnswerHead): void {
    if (this.response.destroyed) return;
    for (const [name, value] of Object.entries(headersOf(head))) this.response.setHeader(name, value);
    this.response.setHeader('Content-Type', head.contentType);
    // Some proxies would buffer the answer otherwise.
    this.response.setHeader('X-Accel-Buffering', 'no');
    this.response.statusCode = 200;
    this.response.flushHeaders();
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || this.response.destroyed || this.response.write(bytes)) return;
    await this.drained();
  }

  /** The status was sent, so that only an event can tell. */
  fail(error: DomainError): void {
    if (!this.response.destroyed) this.response.write(this.render(error));
  }

  /** Resolves also when the reader leaves, which {@link hangUp} tells. */
  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.response.off('drain', settle).off('close', settle);
        resolve();
      };
      const timer = setTimeout(() => this.response.destroy(), SLOWEST_READ_MS);
      this.response.once('drain', settle).once('close', settle);
    });
  }
}

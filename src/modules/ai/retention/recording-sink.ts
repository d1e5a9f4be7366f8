import type { DomainError } from '../../../platform/errors/domain-error.js';
import type { AnswerHead, AnswerSink } from '../calls/answer-sink.js';
import { KeptText } from './kept-text.js';

/** Passes an answer on, and remembers what was passed on. */
export class RecordingSink implements AnswerSink {
  readonly answer = new KeptText();
  contentType = '';

  constructor(private readonly sink: AnswerSink) {}

  get hangUp(): AbortSignal {
    return this.sink.hangUp;
  }

  begin(head: AnswerHead): void {
    this.contentType = head.contentType;
    this.sink.begin(head);
  }

  write(bytes: Buffer): Promise<void> {
    this.answer.push(bytes);
    return this.sink.write(bytes);
  }

  fail(error: DomainError): void {
    this.sink.fail(error);
  }
}

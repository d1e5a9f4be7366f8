import type { DomainError } from '../../../platform/errors/domain-error.js';

/** What is known about an answer before its first byte. */
export interface AnswerHead {
  readonly generationId: string;
  /** The model that answers, as callers name it. */
  readonly model: string;
  /** The most tokens that the answer may have. Undefined for embeddings. */
  readonly maxTokens: number | undefined;
  readonly contentType: string;
}

/** Where an answer goes while it is generated. No method throws. */
export interface AnswerSink {
  /** Aborted when the caller leaves. */
  readonly hangUp: AbortSignal;

  begin(head: AnswerHead): void;

  /** Resolves when more can be written, or when the caller has left. */
  write(bytes: Buffer): Promise<void>;

  /** Tells that the answer broke off. */
  fail(error: DomainError): void;
}

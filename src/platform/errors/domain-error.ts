import type { ErrorDefinition, ErrorType } from './define-errors.js';

/** What the caller receives besides the message. All of it is sent, so it must not contain secrets. */
export interface ErrorHelp {
  readonly hint?: string;
  readonly upgradeUrl?: string;
  readonly retryAfterSeconds?: number;
  readonly details?: unknown;
  /** Headers of the response, for example `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An expected refusal. Its message and help are written for the caller and are safe to send; its cause is for the log
 * only.
 */
export abstract class DomainError extends Error {
  constructor(
    readonly definition: ErrorDefinition,
    message: string,
    readonly help: ErrorHelp = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }

  get code(): string {
    return this.definition.code;
  }

  get type(): ErrorType {
    return this.definition.type;
  }

  get status(): number {
    return this.definition.status;
  }
}

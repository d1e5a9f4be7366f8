import { DomainError, type ErrorHelp } from '../../platform/errors/domain-error.js';
import type { ErrorCode } from '../../platform/errors/error-codes.js';

export class IdempotencyMismatch extends DomainError {
  constructor() {
    super('idempotency_mismatch', 'This idempotency key was used for another request.', {
      hint: 'Use a new key for each new request, and the same one only to send the same request again.',
    });
  }
}

export class IdempotencyInProgress extends DomainError {
  constructor() {
    super('idempotency_in_progress', 'A call with this idempotency key is still running.', {
      hint: 'Wait for its answer, or ask again in a moment.',
    });
  }
}

/** A refusal as it was given the first time. */
export class RefusedBefore extends DomainError {
  constructor({ code, message, help }: { code: ErrorCode; message: string; help: ErrorHelp }) {
    super(code, message, help);
  }
}

import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError, type ErrorHelp } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';

export const IDEMPOTENCY_ERRORS = defineErrors({
  idempotency_mismatch: {
    type: 'conflict_error',
    status: 409,
    title: 'The idempotency key was used for a different request.',
  },
  idempotency_in_progress: {
    type: 'conflict_error',
    status: 409,
    title: 'A request with this idempotency key is still running.',
  },
});

/** Refusals that any write can get, besides those about its caller. */
export const ANY_WRITE: readonly ErrorDefinition[] = [
  GENERIC_ERRORS.invalid_request,
  IDEMPOTENCY_ERRORS.idempotency_mismatch,
  IDEMPOTENCY_ERRORS.idempotency_in_progress,
  GENERIC_ERRORS.storage_unavailable,
];

/** Refusals that any write with a body can get, besides those about its caller. */
export const ANY_BODY: readonly ErrorDefinition[] = [
  ...ANY_WRITE,
  GENERIC_ERRORS.malformed_json,
  GENERIC_ERRORS.payload_too_large,
  GENERIC_ERRORS.unsupported_media_type,
];

export class IdempotencyMismatch extends DomainError {
  constructor() {
    super(IDEMPOTENCY_ERRORS.idempotency_mismatch, 'This idempotency key was already used for another request.', {
      hint: 'Use a new key for each new request; reuse a key only to retry the same request.',
    });
  }
}

export class IdempotencyInProgress extends DomainError {
  constructor() {
    super(IDEMPOTENCY_ERRORS.idempotency_in_progress, 'A request with this idempotency key is still running.', {
      hint: 'Wait for its answer, then send the request again.',
    });
  }
}

/** Repeats the refusal that the first request got. */
export class RefusedBefore extends DomainError {
  constructor(definition: ErrorDefinition, { message, help }: { message: string; help: ErrorHelp }) {
    super(definition, message, help);
  }
}

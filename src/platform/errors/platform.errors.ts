import { DomainError } from './domain-error.js';
import { GENERIC_ERRORS } from './generic.errors.js';

const STORAGE_RETRY_SECONDS = 10;

/** Anything we did not expect. The cause goes to the log, once, and never to the caller. */
export class InternalError extends DomainError {
  constructor(cause: unknown) {
    super(
      GENERIC_ERRORS.internal_error,
      'An unexpected error occurred.',
      {
        hint: 'Try again. If the error persists, report it with the request id.',
      },
      { cause },
    );
  }
}

/** A server that this call needs, the database or Redis, does not answer; it is expected to come back. */
export class ServiceUnavailable extends DomainError {
  constructor(cause: unknown, retryAfterSeconds = 1) {
    super(
      GENERIC_ERRORS.service_unavailable,
      'A required backend is temporarily unavailable.',
      {
        retryAfterSeconds,
        hint: 'Retry after the time in the Retry-After header.',
      },
      { cause },
    );
  }
}

/** The disk takes nothing more. Nothing of what was asked was stored, and reads go on. */
export class StorageUnavailable extends DomainError {
  constructor(cause: unknown) {
    super(
      GENERIC_ERRORS.storage_unavailable,
      'The service has no room to store this at the moment. Nothing was stored.',
      {
        retryAfterSeconds: STORAGE_RETRY_SECONDS,
        hint: 'Reads and deletions work. Send the request again after the time that Retry-After names.',
      },
      { cause },
    );
  }
}

import { DomainError } from './domain-error.js';
import { GENERIC_ERRORS } from './generic.errors.js';

const STORAGE_RETRY_SECONDS = 10;

/** An unexpected error. The cause is logged once and never sent to the caller. */
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

/** The database or Redis, which this call needs, does not answer. It is expected to recover. */
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

/** The disk is full. Nothing of the request was stored, and reads still work. */
export class StorageUnavailable extends DomainError {
  constructor(cause: unknown) {
    super(
      GENERIC_ERRORS.storage_unavailable,
      'Not enough storage space. Nothing was stored.',
      {
        retryAfterSeconds: STORAGE_RETRY_SECONDS,
        hint: 'Reads and deletions still work. Retry after the time in the Retry-After header.',
      },
      { cause },
    );
  }
}

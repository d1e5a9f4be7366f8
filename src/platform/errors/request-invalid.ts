import { DomainError } from './domain-error.js';
import { GENERIC_ERRORS } from './generic.errors.js';

/** One fault of one field, as `details` of `invalid_request` lists them. */
export interface FieldFault {
  /** `language`, nested `env[0].name`; empty for the whole. */
  readonly path: string;
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** The broken rule, `is_in` for one. */
  readonly code: string;
  readonly message: string;
  readonly expected?: unknown;
  readonly received?: unknown;
}

/** `invalid_request`: what was sent breaks a rule that its sender can read about. */
export class RequestInvalid extends DomainError {
  constructor(details: readonly FieldFault[]) {
    super(GENERIC_ERRORS.invalid_request, messageOf(details), { details });
  }
}

function messageOf(details: readonly FieldFault[]): string {
  const first = details[0]?.message ?? 'The request is not valid.';
  return details.length > 1 ? `${details.length} fields are not valid. The first: ${first}` : first;
}

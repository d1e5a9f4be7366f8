import { DomainError } from './domain-error.js';
import { GENERIC_ERRORS } from './generic.errors.js';

/** One fault of one field, as `details` of `invalid_request` lists them. */
export interface FieldFault {
  /** The path of the field: `language`, or `env[0].name` when nested; empty for the whole. */
  readonly path: string;
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** The violated rule, for example `is_in`. */
  readonly code: string;
  readonly message: string;
  readonly expected?: unknown;
  readonly received?: unknown;
}

/** The error `invalid_request`: the request violates a documented rule. */
export class RequestInvalid extends DomainError {
  constructor(details: readonly FieldFault[]) {
    super(GENERIC_ERRORS.invalid_request, messageOf(details), { details });
  }
}

function messageOf(details: readonly FieldFault[]): string {
  const first = details[0]?.message ?? 'The request is invalid.';
  return details.length > 1 ? `${details.length} fields are invalid. The first: ${first}` : first;
}

import { DomainError } from '../../../platform/errors/domain-error.js';
import type { OperationFailure } from './operation.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Returns what a tenant may read. The cause of a fault of the service is in the log alone. */
export function failureOf(error: unknown): OperationFailure {
  if (error instanceof DomainError) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'The service could not do this.' };
}

/** True for a refusal that another attempt would meet again. */
export const isFinal = (error: unknown): boolean => error instanceof DomainError && error.status < 500;

/** Returns the pause before the next attempt. */
export const pauseAfter = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10));

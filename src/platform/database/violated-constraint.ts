import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Returns the name of the unique constraint that a statement violated, and undefined for any other fault. */
export function violatedConstraintOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof QueryFailedError)) return undefined;
  const { code, constraint } = thrown.driverError as { code?: string; constraint?: string };
  return code === UNIQUE_VIOLATION ? constraint : undefined;
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Returns the name of the reference that a statement violated, and undefined for any other fault. */
export function violatedReferenceOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof QueryFailedError)) return undefined;
  const { code, constraint } = thrown.driverError as { code?: string; constraint?: string };
  return code === FOREIGN_KEY_VIOLATION ? constraint : undefined;
}

/**
 * What lines may have of an error beside its name, message, stack and cause. Libraries attach more to theirs: the
 * parameters of a statement, the row that was refused, or a whole request with its headers.
 */
const FIELDS = [
  'code',
  'errno',
  'syscall',
  'path',
  'address',
  'port',
  'status',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
] as const;
const MAX_CAUSES = 5;
const MAX_ERRORS = 10;

/** Returns an error as a log line has it. Anything else is returned as it is. */
export function loggedError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const fields = error as Error & Readonly<Record<string, unknown>>;
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(FIELDS.filter((name) => isShort(fields[name])).map((name) => [name, fields[name]])),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      depth < MAX_CAUSES && {
        aggregateErrors: error.errors.slice(0, MAX_ERRORS).map((each) => loggedError(each, depth + 1)),
      }),
  };
}

const isShort = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

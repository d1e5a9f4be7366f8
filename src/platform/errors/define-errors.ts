/** Each category of error, which is one class in the client library (service document §7). */
export const ERROR_TYPES = [
  'validation_error',
  'auth_error',
  'insufficient_credits_error',
  'authorization_error',
  'not_found_error',
  'conflict_error',
  'rate_limit_error',
  'api_error',
] as const;

export type ErrorType = (typeof ERROR_TYPES)[number];

interface ErrorFacts {
  readonly type: ErrorType;
  readonly status: number;
  /** One line for lists. The page `docs/errors/<code>.md` has the cause and the fix. */
  readonly title: string;
  /**
   * The screen of the app where a person mends it, as a path below `DASHBOARD_URL`. `~` stands for the organization
   * that the person looked at last, because an error does not always know which one it is about.
   */
  readonly dashboard?: string;
}

/** An error that the API can return. */
export interface ErrorDefinition<Code extends string = string> extends ErrorFacts {
  readonly code: Code;
}

export type ErrorDefinitions<Code extends string = string> = {
  readonly [Each in Code]: ErrorDefinition<Each>;
};

/**
 * Declares the error codes of a module, in its `*.errors.ts`. The roles put all of them into one catalog, which refuses
 * a code that is declared twice. A code is never reused for another meaning.
 */
export function defineErrors<const Code extends string>(
  facts: Readonly<Record<Code, ErrorFacts>>,
): ErrorDefinitions<Code> {
  const definitions = Object.entries<ErrorFacts>(facts).map(([code, each]) => [code, Object.freeze({ code, ...each })]);
  return Object.freeze(Object.fromEntries(definitions)) as ErrorDefinitions<Code>;
}

const names = new Map<string, string>();

/**
 * Marks a statement that is sent often, and returns it: each connection plans it once, which takes longer than running
 * it. The statement must name the columns of its result, because a plan for `*` fails after a migration has added one.
 */
export function prepared(statement: string): string {
  if (!names.has(statement)) names.set(statement, `statement_${names.size + 1}`);
  return statement;
}

/** Returns the name under which connections keep the plan, or undefined for a statement that is not prepared. */
export const nameOfPrepared = (statement: string): string | undefined => names.get(statement);

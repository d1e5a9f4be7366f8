import type { FilterTerm } from '../domain/scim-filter.js';
import { badFilter, shown } from '../domain/scim-refusal.js';

/** Returns a condition with `$1` in place of the value, or undefined when no row can fulfill it. */
export type TermCondition = (value: string | boolean) => { sql: string; value: unknown } | undefined;

/** Compares a column with a text. Names and addresses ignore case, ids do not. */
export const equals =
  (column: string): TermCondition =>
  (value) =>
    typeof value === 'string' ? { sql: `${column} = $1`, value } : undefined;

export const equalsInAnyCase =
  (column: string): TermCondition =>
  (value) =>
    typeof value === 'string' ? { sql: `lower(${column}) = lower($1)`, value } : undefined;

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Translates a filter for the attributes that a table knows.
 *
 * @param values of parameters that come before.
 * @throws {ScimRefusal} `invalidFilter`
 */
export function conditionOf(
  terms: readonly FilterTerm[],
  known: Readonly<Record<string, TermCondition>>,
  values: readonly unknown[],
): SqlCondition {
  const all = [...values];
  const conditions = terms.map(({ attribute, value }) => {
    const condition = Object.hasOwn(known, attribute) ? known[attribute] : undefined;
    if (condition === undefined)
      throw badFilter(
        `The attribute ${shown(attribute)} cannot be in a filter. Supported: ${Object.keys(known).join(', ')}.`,
      );
    const translated = condition(value);
    if (translated === undefined) return 'false';
    all.push(translated.value);
    return translated.sql.replaceAll('$1', () => `$${all.length}`);
  });
  return { sql: conditions.map((each) => `AND (${each})`).join(' '), values: all };
}

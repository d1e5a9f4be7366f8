import { type FilterTerm, parseFilter } from './scim-filter.js';
import { badValue, notSupported } from './scim-refusal.js';

const MAX_COUNT = 100;
const MAX_NAMES = 50;

/** Which attributes are returned, in lower case. */
export interface Projection {
  readonly only: ReadonlySet<string> | undefined;
  readonly without: ReadonlySet<string>;
}

export interface ListRequest extends Projection {
  readonly terms: readonly FilterTerm[];
  /** Begins with 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** What was sent in the query. A parameter that is sent twice is a list. */
export type SentQuery = Readonly<Record<string, unknown>>;

/** @throws {ScimRefusal} */
export function readListRequest(query: SentQuery): ListRequest {
  if (textOf(query, 'sortBy') !== undefined) throw notSupported('Sorting');
  const filter = textOf(query, 'filter');
  return {
    ...readProjection(query),
    terms: filter === undefined ? [] : parseFilter(filter),
    startIndex: Math.max(1, numberOf(query, 'startIndex', 1)),
    count: Math.min(MAX_COUNT, Math.max(0, numberOf(query, 'count', MAX_COUNT))),
  };
}

/** @throws {ScimRefusal} `invalidValue` */
export function readProjection(query: SentQuery): Projection {
  return {
    only: namesOf(query, 'attributes'),
    without: namesOf(query, 'excludedAttributes') ?? new Set(),
  };
}

/** Leaves out what was not asked for, or asked to be left out. `id` and `schemas` are always returned. */
export function project(resource: Readonly<Record<string, unknown>>, { only, without }: Projection): object {
  const kept = Object.entries(resource).filter(([name]) => {
    if (name === 'id' || name === 'schemas') return true;
    const lower = name.toLowerCase();
    return (only === undefined || [...only].some((each) => each.split('.')[0] === lower)) && !without.has(lower);
  });
  return Object.fromEntries(kept);
}

/** True when the members of groups do not have to be read. */
export const leavesOut = ({ only, without }: Projection, name: string): boolean =>
  without.has(name) || (only !== undefined && ![...only].some((each) => each.split('.')[0] === name));

function namesOf(query: SentQuery, parameter: string): ReadonlySet<string> | undefined {
  const text = textOf(query, parameter);
  if (text === undefined) return undefined;
  const names = text.split(',', MAX_NAMES + 1);
  if (names.length > MAX_NAMES) throw badValue(`${parameter} can name ${MAX_NAMES} attributes.`);
  return new Set(
    names.map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^urn:.*:/, ''),
    ),
  );
}

function numberOf(query: SentQuery, parameter: string, otherwise: number): number {
  const text = textOf(query, parameter);
  if (text === undefined) return otherwise;
  if (!/^-?\d{1,9}$/.test(text)) throw badValue(`${parameter} must be an integer.`);
  return Number(text);
}

function textOf(query: SentQuery, parameter: string): string | undefined {
  const value = query[parameter];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw badValue(`${parameter} must be sent once.`);
  return value;
}

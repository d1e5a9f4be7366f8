import { parsePath, type ScimPath } from './scim-path.js';
import { badSyntax, badValue } from './scim-refusal.js';

const MAX_OPERATIONS = 1_000;
/** An attribute each. Providers send some dozens. */
const MAX_CHANGES = 2_000;
const OPS = ['add', 'replace', 'remove'] as const;

type Op = (typeof OPS)[number];

/** One change of one attribute. */
export interface ScimChange {
  readonly op: Op;
  /** Undefined for an attribute of an extension, of which nothing is kept. */
  readonly path: ScimPath | undefined;
  readonly value: unknown;
  /** True when the path itself was sent, and not only found in a value: then it must be one that exists. */
  readonly isNamed: boolean;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the member with this name in any case, because names of attributes ignore case (RFC 7643 §2.1). */
export function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(value).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Reads a whole resource as changes of one that has no attributes. Unknown attributes are left out later. */
export function changesOfResource(body: unknown): ScimChange[] {
  if (!isObject(body)) throw badSyntax('The body must be a JSON object.');
  return changesOfMembers('replace', body);
}

/**
 * Reads the operations of a PATCH (RFC 7644 §3.5.2). Microsoft Entra writes their names with a capital letter, and both
 * it and Okta send objects without a path.
 *
 * @throws {ScimRefusal}
 */
export function changesOfPatch(body: unknown): ScimChange[] {
  const operations = isObject(body) ? memberOf(body, 'operations') : undefined;
  if (!Array.isArray(operations) || operations.length === 0)
    throw badSyntax('A PATCH must have a list "Operations" with at least one operation.');
  if (operations.length > MAX_OPERATIONS) throw badValue(`A PATCH can have ${MAX_OPERATIONS} operations.`);
  const changes: ScimChange[] = [];
  for (const operation of operations) {
    changes.push(...changesOf(operation));
    if (changes.length > MAX_CHANGES) throw tooManyChanges();
  }
  return changes;
}

function changesOf(operation: unknown): ScimChange[] {
  if (!isObject(operation)) throw badSyntax('An operation must be a JSON object.');
  const name = memberOf(operation, 'op');
  const op = OPS.find((each) => typeof name === 'string' && name.toLowerCase() === each);
  if (op === undefined) throw badSyntax('The "op" of an operation must be "add", "replace" or "remove".');
  const path = memberOf(operation, 'path') ?? '';
  const value = memberOf(operation, 'value');
  if (typeof path !== 'string') throw badSyntax('The "path" of an operation must be a text.');
  if (path.trim() !== '') return [{ op, path: parsePath(path.trim()), value, isNamed: true }];
  if (op === 'remove') throw badSyntax('An operation "remove" must have a path.');
  if (!isObject(value)) throw badValue('The "value" of an operation without a path must be a JSON object.');
  return changesOfMembers(op, value);
}

function changesOfMembers(op: Op, value: Readonly<Record<string, unknown>>): ScimChange[] {
  const entries = Object.entries(value);
  if (entries.length > MAX_CHANGES) throw tooManyChanges();
  return entries.map(([key, each]) => ({ op, path: pathOfKey(key), value: each, isNamed: false }));
}

const tooManyChanges = (): Error => badValue(`A request can name ${MAX_CHANGES} attributes.`);

/** A key that is no path is an attribute that nobody knows. */
function pathOfKey(key: string): ScimPath | undefined {
  try {
    return parsePath(key);
  } catch {
    return undefined;
  }
}

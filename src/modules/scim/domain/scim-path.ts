import { parseFilter, type FilterTerm } from './scim-filter.js';
import { badPath, shown } from './scim-refusal.js';

const MAX_LENGTH = 500;
const PATH = /^([a-z$][\w$-]*)(\[.*\])?(?:\.([a-z$][\w$-]*))?$/i;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;

/** `emails[type eq "work"].value`. Names are in lower case. */
export interface ScimPath {
  readonly attribute: string;
  readonly filter?: readonly FilterTerm[];
  readonly sub?: string;
}

/**
 * Reads the path of an operation. It returns undefined for an attribute of an extension, of which nothing is kept.
 *
 * @throws {ScimRefusal} `invalidPath`, `invalidFilter`
 */
export function parsePath(text: string): ScimPath | undefined {
  if (text.length > MAX_LENGTH) throw badPath(`A path can have ${MAX_LENGTH} characters.`);
  const path = text.replace(CORE, '');
  if (/^urn:/i.test(path)) return undefined;
  const [, attribute, filter, sub] = PATH.exec(path) ?? [];
  if (attribute === undefined) throw badPath(`${shown(text)} is not a path.`);
  return {
    attribute: attribute.toLowerCase(),
    ...(filter === undefined ? {} : { filter: parseFilter(filter.slice(1, -1)) }),
    ...(sub === undefined ? {} : { sub: sub.toLowerCase() }),
  };
}

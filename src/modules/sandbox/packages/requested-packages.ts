import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { DISTINCT_PACKAGES, EXACT_PACKAGES, FITS_LANGUAGE, SET_OF_LANGUAGE } from '../domain/package-rules.js';
import { choiceOfSet } from '../domain/package-sets.js';
import {
  ecosystemOf,
  MAX_PACKAGES,
  type PackageChoice,
  type PackageEcosystem,
  type PackageSetName,
} from '../domain/packages.js';
import type { Rule } from '../domain/rule.js';
import type { Language } from '../domain/sandbox-runtime.js';

/** The packages that work asks for, in the form of the API: a set, or packages of the language. */
export interface RequestedPackages {
  readonly packageSet?: PackageSetName | undefined;
  readonly packages?: Readonly<Partial<Record<PackageEcosystem, readonly string[]>>> | undefined;
}

/**
 * Returns what work of other modules chooses, by the rules of the API. What the plan allows is checked when it begins.
 *
 * @throws {RequestInvalid} `invalid_request`
 */
export function requestedPackages(
  language: Language,
  { packageSet: set, packages }: RequestedPackages,
): PackageChoice | undefined {
  if (packages === undefined) {
    if (set === undefined) return undefined;
    requireRule('package_set', SET_OF_LANGUAGE, { language, set });
    return choiceOfSet(set);
  }
  requireRule('packages', FITS_LANGUAGE, { language, set, packages });
  const ecosystem = ecosystemOf(language);
  const path = `packages.${ecosystem}`;
  const named = packages[ecosystem]!;
  requireRule(path, COUNT, named);
  requireRule(path, EXACT_PACKAGES[ecosystem], named);
  requireRule(path, DISTINCT_PACKAGES, named);
  return { ecosystem, packages: named };
}

/** The API has a fault of its own for each bound. */
const COUNT: Rule<readonly string[]> = {
  code: 'array_max_size',
  message: `$property must name 1 to ${MAX_PACKAGES} packages`,
  holds: ({ length }) => length >= 1 && length <= MAX_PACKAGES,
};

function requireRule<Checked>(path: string, { code, message, holds }: Rule<Checked>, checked: Checked): void {
  if (holds(checked)) return;
  throw new RequestInvalid([{ path, in: 'body', code, message: message.replace('$property', path) }]);
}

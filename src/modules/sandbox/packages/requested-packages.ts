import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import {
  ecosystemOf,
  hasDistinctNames,
  isNpmPackage,
  isPipPackage,
  MAX_PACKAGES,
  PACKAGE_SETS,
  type PackageChoice,
  type PackageEcosystem,
  type PackageSetName,
} from '../domain/packages.js';
import type { Language } from '../domain/sandbox-runtime.js';
import { choiceOfSet, PACKAGES_OF_SETS } from './package-sets.js';

/** The packages that work asks for, in the form of the API: a set, or packages of the language. */
export interface RequestedPackages {
  readonly packageSet?: PackageSetName | undefined;
  readonly packages?: Readonly<Partial<Record<PackageEcosystem, readonly string[]>>> | undefined;
}

const IS_PACKAGE = { npm: isNpmPackage, pip: isPipPackage } as const;

/**
 * Returns what work of other modules chooses, by the rules of the API. What the plan allows is checked when it begins.
 *
 * @throws {RequestInvalid} `invalid_request`
 */
export function requestedPackages(
  language: Language,
  { packageSet, packages }: RequestedPackages,
): PackageChoice | undefined {
  if (packages === undefined) return packageSet === undefined ? undefined : setOf(language, packageSet);
  const ecosystem = ecosystemOf(language);
  const named = packages[ecosystem];
  if (packageSet !== undefined || named === undefined || Object.keys(packages).length !== 1)
    refuse('packages', 'fits_language', `packages must have only ${ecosystem} for ${language}, and no package_set`);
  const path = `packages.${ecosystem}`;
  if (named.length < 1 || named.length > MAX_PACKAGES)
    refuse(path, 'array_max_size', `${path} must name 1 to ${MAX_PACKAGES} packages`);
  if (!named.every((each) => IS_PACKAGE[ecosystem](each)))
    refuse(path, `is_${ecosystem}_package`, `${path} must name each package with its exact version`);
  if (!hasDistinctNames(named)) refuse(path, 'are_distinct_packages', `${path} must name each package once`);
  return { ecosystem, packages: named };
}

function setOf(language: Language, set: PackageSetName): PackageChoice {
  if (!PACKAGE_SETS.includes(set) || !PACKAGES_OF_SETS[set].languages.includes(language))
    refuse('package_set', 'is_set_of_language', `package_set must be a set for ${language}`);
  return choiceOfSet(set);
}

function refuse(path: string, code: string, message: string): never {
  throw new RequestInvalid([{ path, in: 'body', code, message }]);
}

import { PACKAGES_OF_SETS } from './package-sets.js';
import {
  ecosystemOf,
  hasDistinctNames,
  isNpmPackage,
  isPipPackage,
  type PackageEcosystem,
  type PackageSetName,
} from './packages.js';
import type { Rule } from './rule.js';
import { type Language, LANGUAGES } from './sandbox-runtime.js';

/** What a request names for its language. It may still break other rules. */
interface Named {
  readonly language: unknown;
  readonly set: unknown;
}

const isLanguage = (value: unknown): value is Language => LANGUAGES.includes(value as Language);

const exact = (code: string, isPackage: (value: unknown) => boolean, example: string): Rule<unknown> => ({
  code,
  message:
    `$property must name each package with its exact version, such as ${example}: ` +
    'no range, tag, address or option',
  holds: (packages) => Array.isArray(packages) && packages.every(isPackage),
});

export const EXACT_PACKAGES: Readonly<Record<PackageEcosystem, Rule<unknown>>> = {
  npm: exact('is_npm_package', isNpmPackage, 'left-pad@1.3.0'),
  pip: exact('is_pip_package', isPipPackage, 'six==1.16.0'),
};

export const DISTINCT_PACKAGES: Rule<unknown> = {
  code: 'are_distinct_packages',
  message: '$property must name each package once',
  holds: (packages) =>
    Array.isArray(packages) && packages.every((each) => typeof each === 'string') && hasDistinctNames(packages),
};

/** Refuses packages of another language, and those beside a set. An unknown language is refused by itself. */
export const FITS_LANGUAGE: Rule<Named & { readonly packages: unknown }> = {
  code: 'fits_language',
  message:
    '$property must have only pip for python, or only npm for javascript and typescript, and no package_set beside it',
  holds: ({ language, set, packages }) => {
    if (typeof packages !== 'object' || packages === null || !isLanguage(language)) return true;
    const named = Object.entries(packages).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return set === undefined && named.length === 1 && named[0] === ecosystemOf(language);
  },
};

/** Refuses a set for another language. */
export const SET_OF_LANGUAGE: Rule<Named> = {
  code: 'is_set_of_language',
  message: '$property must be a set for the language: see GET /api/v1/sandbox/package-sets',
  holds: ({ language, set }) => {
    const known = Object.hasOwn(PACKAGES_OF_SETS, String(set)) ? PACKAGES_OF_SETS[set as PackageSetName] : null;
    return !isLanguage(language) || known?.languages.includes(language) === true;
  },
};

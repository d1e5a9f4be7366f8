import { createHash } from 'node:crypto';
import { type Language } from './sandbox-runtime.js';

export const PACKAGE_SETS = ['python-data', 'node-common'] as const;
export type PackageSetName = (typeof PACKAGE_SETS)[number];

/** Whose packages a language uses. */
export type PackageEcosystem = 'npm' | 'pip';

export const MAX_PACKAGES = 20;

/** What an execution asks for: each package with its exact version, as npm or pip write it. */
export interface PackageChoice {
  readonly ecosystem: PackageEcosystem;
  readonly packages: readonly string[];
  /** Undefined for packages that the caller named. */
  readonly set?: PackageSetName;
}

/** What a worker needs to install packages, or to find them. */
export interface WantedPackages extends PackageChoice {
  /** Names the choice of this owner. */
  readonly id: string;
  /** Null for a set, which all organizations share. */
  readonly orgId: string | null;
}

export const ecosystemOf = (language: Language): PackageEcosystem => (language === 'python' ? 'pip' : 'npm');

const NPM_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
const NPM_VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?$/;
const PIP_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
/** PEP 440, without what only a local build of a package has. */
const PIP_VERSION = /^(?:\d{1,9}!)?\d{1,9}(?:\.\d{1,9}){0,5}(?:(?:a|b|rc)\d{1,9})?(?:\.post\d{1,9})?(?:\.dev\d{1,9})?$/;
const LONGEST_NAME = 214;
const LONGEST_VERSION = 64;

/** Accepts `left-pad@1.3.0` and `@scope/name@2.0.0-rc.1`: no range, tag, address, path or other name. */
export const isNpmPackage = (value: unknown): value is string => isPackage(value, '@', [NPM_NAME, NPM_VERSION]);

/** Accepts `six==1.16.0`: no range, extra, marker, address, path or option. */
export const isPipPackage = (value: unknown): value is string => isPackage(value, '==', [PIP_NAME, PIP_VERSION]);

function isPackage(value: unknown, separator: string, [name, version]: readonly [RegExp, RegExp]): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_NAME + separator.length + LONGEST_VERSION) return false;
  const at = value.lastIndexOf(separator);
  const [named, versioned] = [value.slice(0, at), value.slice(at + separator.length)];
  const isShort = named.length <= LONGEST_NAME && versioned.length <= LONGEST_VERSION;
  return at > 0 && isShort && name.test(named) && version.test(versioned);
}

/** Two versions of one package cannot be installed beside each other. */
export function hasDistinctNames(packages: readonly string[]): boolean {
  const names = packages.map((each) =>
    each
      .replace(/(?:@|==)[^@=]*$/, '')
      .toLowerCase()
      .replaceAll(/[-_.]+/g, '-'),
  );
  return new Set(names).size === packages.length;
}

/** What an organization chose is resolved for it alone, so that no other decides what its packages depend on. */
export function wantedBy(orgId: string, { ecosystem, packages, set }: PackageChoice): WantedPackages {
  const owner = set === undefined ? orgId : null;
  const sorted = [...packages].sort();
  const id = createHash('sha256')
    .update(JSON.stringify([owner, ecosystem, sorted]))
    .digest('hex');
  return { id, orgId: owner, ecosystem, packages: sorted, ...(set === undefined ? {} : { set }) };
}

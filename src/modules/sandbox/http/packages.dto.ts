import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import {
  ecosystemOf,
  hasDistinctNames,
  isNpmPackage,
  isPipPackage,
  MAX_PACKAGES,
  type PackageChoice,
  type PackageSetName,
} from '../domain/packages.js';
import { type Language, LANGUAGES } from '../domain/sandbox-runtime.js';
import { choiceOfSet, PACKAGES_OF_SETS } from '../packages/package-sets.js';

const Each = (name: string, isPackage: (value: unknown) => boolean, example: string): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => !Array.isArray(value) || value.every(isPackage),
      defaultMessage: () =>
        `$property must name each package with its exact version, such as ${example}: no range, tag, address or option`,
    },
  });

const AreDistinct = (): PropertyDecorator =>
  ValidateBy({
    name: 'areDistinctPackages',
    validator: {
      validate: (value: unknown) =>
        !Array.isArray(value) || !value.every((each) => typeof each === 'string') || hasDistinctNames(value),
      defaultMessage: () => '$property must name each package once',
    },
  });

/** The request that a property belongs to, as far as it was sent. */
interface Sent {
  readonly language?: unknown;
  readonly package_set?: unknown;
}

const isLanguage = (value: unknown): value is Language => LANGUAGES.includes(value as Language);

/** Refuses packages of another language, and those beside a set. An unknown language is refused by itself. */
export const FitsLanguage = (): PropertyDecorator =>
  ValidateBy({
    name: 'fitsLanguage',
    validator: {
      validate: (value: unknown, args) => {
        const { language, package_set: set } = (args?.object ?? {}) as Sent;
        if (typeof value !== 'object' || value === null || !isLanguage(language)) return true;
        const named = Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined);
        return set === undefined && named.length === 1 && named[0] === ecosystemOf(language);
      },
      defaultMessage: () =>
        'packages must have only pip for python, or only npm for javascript and typescript, and no package_set ' +
        'beside it',
    },
  });

/** Refuses a set for another language. */
export const IsSetOfLanguage = (): PropertyDecorator =>
  ValidateBy({
    name: 'isSetOfLanguage',
    validator: {
      validate: (value: unknown, args) => {
        const { language } = (args?.object ?? {}) as Sent;
        const set = Object.hasOwn(PACKAGES_OF_SETS, String(value)) ? PACKAGES_OF_SETS[value as PackageSetName] : null;
        return set === null || !isLanguage(language) || set.languages.includes(language);
      },
      defaultMessage: () => 'package_set must be a set for the language: see GET /api/v1/sandbox/package-sets',
    },
  });

export class PackagesBody {
  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_PACKAGES,
    example: ['left-pad@1.3.0'],
    description: 'For JavaScript and TypeScript. Install scripts do not run.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_PACKAGES)
  @Each('isNpmPackage', isNpmPackage, 'left-pad@1.3.0')
  @AreDistinct()
  readonly npm?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_PACKAGES,
    example: ['six==1.16.0'],
    description: 'For Python. Packages without a wheel for the Python of the service are refused.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_PACKAGES)
  @Each('isPipPackage', isPipPackage, 'six==1.16.0')
  @AreDistinct()
  readonly pip?: string[];
}

/** Returns what a request with these fields chooses. */
export function choiceOf(language: Language, set?: PackageSetName, named?: PackagesBody): PackageChoice | undefined {
  if (set !== undefined) return choiceOfSet(set);
  const ecosystem = ecosystemOf(language);
  const packages = named?.[ecosystem];
  return packages === undefined ? undefined : { ecosystem, packages };
}

import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateBy, type ValidationArguments } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { DISTINCT_PACKAGES, EXACT_PACKAGES, FITS_LANGUAGE, SET_OF_LANGUAGE } from '../domain/package-rules.js';
import { choiceOfSet } from '../domain/package-sets.js';
import { ecosystemOf, MAX_PACKAGES, type PackageChoice, type PackageSetName } from '../domain/packages.js';
import type { Rule } from '../domain/rule.js';
import type { Language } from '../domain/sandbox-runtime.js';

const Follows = (rule: Rule<unknown>): PropertyDecorator =>
  ValidateBy({ name: rule.code, validator: { validate: rule.holds, defaultMessage: () => rule.message } });

/** The request that a property belongs to, as far as it was sent. */
interface Sent {
  readonly language?: unknown;
  readonly package_set?: unknown;
}

const sentWith = (args: ValidationArguments | undefined): Sent => args?.object ?? {};

export const FitsLanguage = (): PropertyDecorator =>
  ValidateBy({
    name: FITS_LANGUAGE.code,
    validator: {
      validate: (packages: unknown, args) => {
        const { language, package_set: set } = sentWith(args);
        return FITS_LANGUAGE.holds({ language, set, packages });
      },
      defaultMessage: () => FITS_LANGUAGE.message,
    },
  });

export const IsSetOfLanguage = (): PropertyDecorator =>
  ValidateBy({
    name: SET_OF_LANGUAGE.code,
    validator: {
      validate: (set: unknown, args) => SET_OF_LANGUAGE.holds({ language: sentWith(args).language, set }),
      defaultMessage: () => SET_OF_LANGUAGE.message,
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
  @Follows(EXACT_PACKAGES.npm)
  @Follows(DISTINCT_PACKAGES)
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
  @Follows(EXACT_PACKAGES.pip)
  @Follows(DISTINCT_PACKAGES)
  readonly pip?: string[];
}

/** Returns what a request with these fields chooses. */
export function choiceOf(language: Language, set?: PackageSetName, named?: PackagesBody): PackageChoice | undefined {
  if (set !== undefined) return choiceOfSet(set);
  const ecosystem = ecosystemOf(language);
  const packages = named?.[ecosystem];
  return packages === undefined ? undefined : { ecosystem, packages };
}

import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { trimEnd } from '../text/trim.js';

/** What an operator is told about a setting, on the page on configuration and in `.env.example`. */
export interface SettingFacts {
  /** The environment variable, with its unit at the end. */
  readonly name: string;
  /** What it does, in full sentences; Markdown. */
  readonly summary: string;
  /** What holds while it is not set, where that is no fixed value; the end of a sentence that starts with "Unset,". */
  readonly unset?: string;
  readonly unit?: string;
  /** A page, seen from `docs/`, that tells more: `billing.md#stripe`. */
  readonly see?: string;
  /** A value for `.env.example`, where there is no default. */
  readonly example?: string;
}

export interface SettingDeclaration extends SettingFacts {
  readonly property: string;
  /** Which values it takes; Markdown, empty for any text. */
  readonly allowed: string;
  /** Makes the value of the text that the environment holds; what it cannot read, the rules of the property refuse. */
  readonly read: (text: string) => unknown;
}

/** How a kind of setting is read, described and checked. */
interface SettingKind {
  readonly allowed: string;
  readonly read?: (text: string) => unknown;
  readonly rules: readonly PropertyDecorator[];
}

const declarations = new Map<object, SettingDeclaration[]>();

/** The settings that a class declares, in the order of its fields. */
export const settingsDeclaredBy = (settings: object): readonly SettingDeclaration[] => declarations.get(settings) ?? [];

export function IntegerSetting(
  facts: SettingFacts & { readonly min: number; readonly max?: number },
): PropertyDecorator {
  const { min, max } = facts;
  return declare(facts, {
    allowed: max === undefined ? `${min} or more` : `${min} to ${max}`,
    read: Number,
    rules: [IsInt(), Min(min), ...(max === undefined ? [] : [Max(max)])],
  });
}

export function BooleanSetting(facts: SettingFacts): PropertyDecorator {
  const values = new Map([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ]);
  return declare(facts, {
    allowed: '`true` or `false`',
    read: (text) => values.get(text) ?? text,
    rules: [IsBoolean()],
  });
}

export function ChoiceSetting(facts: SettingFacts & { readonly values: readonly string[] }): PropertyDecorator {
  return declare(facts, { allowed: oneOf(facts.values), rules: [IsIn(facts.values)] });
}

interface TextBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** What the text looks like, with the end of the sentence that refuses another. */
  readonly pattern?: { readonly matches: RegExp; readonly rule: string };
}

export function TextSetting(facts: SettingFacts & TextBounds): PropertyDecorator {
  const { minLength, maxLength, pattern } = facts;
  return declare(facts, {
    allowed:
      minLength !== undefined
        ? `${minLength} characters or more`
        : maxLength !== undefined
          ? `${maxLength} characters or fewer`
          : '',
    rules: [
      ...(minLength === undefined ? [] : [MinLength(minLength)]),
      ...(maxLength === undefined ? [] : [MaxLength(maxLength)]),
      ...(pattern === undefined ? [] : [Matches(pattern.matches, { message: `$property ${pattern.rule}` })]),
    ],
  });
}

/** An address for people or programs, which has no slash at the end once it was read. */
export function UrlSetting(facts: SettingFacts): PropertyDecorator {
  return declare(facts, {
    allowed: '`http://…` or `https://…`',
    read: (text) => trimEnd(text, '/'),
    rules: [IsUrl({ protocols: ['http', 'https'], require_tld: false, require_protocol: true })],
  });
}

/** The address of a server, with a user and a password where it needs them. */
export function ServerSetting(facts: SettingFacts & { readonly schemes: readonly string[] }): PropertyDecorator {
  const { schemes } = facts;
  return declare(facts, {
    allowed: oneOf(schemes.map((scheme) => `${scheme}…`)),
    rules: [
      ValidateBy({
        name: 'isServer',
        validator: {
          validate: (value: unknown) => typeof value === 'string' && schemes.some((scheme) => value.startsWith(scheme)),
          defaultMessage: () => `$property must start with ${schemes.join(' or ')}`,
        },
      }),
    ],
  });
}

interface Parsing {
  /** Undefined when the text cannot be read. The value must not be a text itself. */
  readonly parse: (text: string) => object | number | undefined;
  /** The end of the sentence that refuses the text. */
  readonly rule: string;
}

/** A value with a form of its own. */
export function ParsedSetting(facts: SettingFacts & Parsing): PropertyDecorator {
  const { parse, rule } = facts;
  return declare(facts, {
    allowed: '',
    read: (text) => parse(text) ?? text,
    rules: [
      ValidateBy({
        name: 'isReadable',
        validator: {
          validate: (value: unknown) => typeof value !== 'string',
          defaultMessage: () => `$property ${rule}`,
        },
      }),
    ],
  });
}

function declare(facts: SettingFacts, { allowed, read = (text) => text, rules }: SettingKind): PropertyDecorator {
  return (prototype, property) => {
    const declared = declarations.get(prototype.constructor) ?? [];
    declared.push({ ...facts, property: String(property), allowed, read });
    declarations.set(prototype.constructor, declared);
    for (const rule of [IsOptional(), ...rules]) rule(prototype, property);
  };
}

const oneOf = (values: readonly string[]): string => {
  const [last, ...others] = values.map((value) => `\`${value}\``).reverse();
  return others.length === 0 ? last! : `${others.reverse().join(', ')} or ${last!}`;
};

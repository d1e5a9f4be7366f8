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

/** What the page on configuration and `.env.example` say about a setting. */
export interface SettingFacts {
  /** The environment variable, with its unit at the end. */
  readonly name: string;
  /** What the setting does, in full sentences of Markdown. */
  readonly summary: string;
  /**
   * What applies while the setting is not set and has no fixed default. It ends a sentence that starts with "Unset,".
   */
  readonly unset?: string;
  readonly unit?: string;
  /** A page with more on the setting, as a path relative to `docs/`: `billing.md#stripe`. */
  readonly see?: string;
  /** A value for `.env.example` when there is no default. */
  readonly example?: string;
}

export interface SettingDeclaration extends SettingFacts {
  readonly property: string;
  /** The accepted values in Markdown; empty when any text is accepted. */
  readonly allowed: string;
  /** Converts the text of the environment. What it cannot read is refused by the rules of the property. */
  readonly read: (text: string) => unknown;
}

/** How a kind of setting is read, described and checked. */
interface SettingKind {
  readonly allowed: string;
  readonly read?: (text: string) => unknown;
  readonly rules: readonly PropertyDecorator[];
}

const declarations = new Map<object, SettingDeclaration[]>();

/** Returns the settings that a class declares, in the order of its fields. */
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
  /** The pattern of the text, with the end of the sentence that refuses other text. */
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

/** The URL of something that people or programs open. Reading it removes trailing slashes. */
export function UrlSetting(facts: SettingFacts): PropertyDecorator {
  return declare(facts, {
    allowed: '`http://…` or `https://…`',
    read: (text) => trimEnd(text, '/'),
    rules: [IsUrl({ protocols: ['http', 'https'], require_tld: false, require_protocol: true })],
  });
}

interface ServerAddress {
  readonly schemes: readonly string[];
  /** Returns the end of the sentence that refuses an address. It must show nothing of it. */
  readonly faultOf?: (url: string) => string | undefined;
  /** Brings an address into the form that the drivers need. */
  readonly read?: (url: string) => string;
}

/** The address of a server, which may contain a user and a password. */
export function ServerSetting(facts: SettingFacts & ServerAddress): PropertyDecorator {
  const { schemes, faultOf = () => undefined, read = (url) => url } = facts;
  const isServer = (value: unknown): value is string =>
    typeof value === 'string' && schemes.some((scheme) => value.startsWith(scheme));
  return declare(facts, {
    allowed: oneOf(schemes.map((scheme) => `${scheme}…`)),
    read,
    rules: [
      ValidateBy({
        name: 'isServer',
        validator: {
          validate: (value: unknown) => isServer(value) && faultOf(value) === undefined,
          defaultMessage: (given) =>
            `$property ${isServer(given?.value) ? faultOf(given.value)! : `must start with ${schemes.join(' or ')}`}`,
        },
      }),
    ],
  });
}

interface Parsing {
  /** Returns undefined when the text cannot be read. The value must not be a string itself. */
  readonly parse: (text: string) => object | number | undefined;
  /** The end of the sentence that refuses the text. */
  readonly rule: string;
}

/** A setting with a syntax of its own. */
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

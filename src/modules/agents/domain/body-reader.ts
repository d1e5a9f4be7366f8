import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { parseUsd } from '../../../platform/money/nano-dollars.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A NUL or half of a surrogate pair: PostgreSQL stores neither, and no model reads them. */
const UNSOUND = /[\0\p{Cs}]/u;

/** Reads values of unknown shape and collects their faults, so that a caller learns of all of them at once. */
export class BodyReader {
  readonly faults: FieldFault[] = [];

  add(path: string, code: string, message: string, expected?: unknown): void {
    this.faults.push({
      path,
      in: 'body',
      code,
      message: `${path === '' ? 'The body' : path} ${message}`,
      ...(expected === undefined ? {} : { expected }),
    });
  }

  object(value: unknown, path: string, fields?: readonly string[]): JsonObject | undefined {
    const object = isObject(value) ? value : undefined;
    for (const name of Object.keys(object ?? {}))
      if (fields?.includes(name) === false)
        this.add(`${path}.${name.slice(0, 100)}`, 'unknown_field', 'is not known here', fields);
    return this.checked(object, path, object === undefined ? ['is_object', 'must be an object'] : undefined);
  }

  list(value: unknown, path: string, { min = 0, max }: { min?: number; max: number }): readonly unknown[] | undefined {
    const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    const fits = list !== undefined && list.length >= min && list.length <= max;
    const size: Fault = ['array_size', `must have ${min} to ${max} entries`, { min, max }];
    return this.checked(list, path, list === undefined ? ['is_array', 'must be a list'] : fits ? undefined : size);
  }

  text(value: unknown, path: string, { min = 0, maxBytes }: TextBounds): string | undefined {
    const text = typeof value === 'string' ? value : undefined;
    const type: Fault = ['is_string', 'must be a string'];
    return this.checked(text, path, text === undefined ? type : faultOfText(text, { min, maxBytes }));
  }

  matching(value: unknown, path: string, pattern: RegExp, [code, message]: Fault): string | undefined {
    const text = typeof value === 'string' && pattern.test(value) ? value : undefined;
    return this.checked(text, path, text === undefined ? [code, message] : undefined);
  }

  integer(value: unknown, path: string, { min, max }: { min: number; max: number }): number | undefined {
    const number = Number.isSafeInteger(value) ? inRange(value, { min, max }) : undefined;
    const message = `must be a whole number from ${min} to ${max}`;
    return this.checked(number, path, number === undefined ? ['is_int', message, { min, max }] : undefined);
  }

  number(value: unknown, path: string, { min, max }: { min: number; max: number }): number | undefined {
    const number = inRange(value, { min, max });
    const message = `must be a number from ${min} to ${max}`;
    return this.checked(number, path, number === undefined ? ['is_number', message, { min, max }] : undefined);
  }

  flag(value: unknown, path: string): boolean | undefined {
    const flag = typeof value === 'boolean' ? value : undefined;
    return this.checked(flag, path, flag === undefined ? ['is_boolean', 'must be true or false'] : undefined);
  }

  choice<const T extends string>(value: unknown, path: string, choices: readonly T[]): T | undefined {
    const found = choices.find((choice) => choice === value);
    const message = `must be one of: ${choices.join(', ')}`;
    return this.checked(found, path, found === undefined ? ['is_in', message, choices] : undefined);
  }

  /** Reads an amount above zero, up to `max` nano-dollars. */
  usd(value: unknown, path: string, { max, shown }: { max: bigint; shown: string }): bigint | undefined {
    const nano = typeof value === 'string' ? nanoOf(value) : undefined;
    const fits = nano !== undefined && nano > 0n && nano <= max;
    const message = `must be a decimal string of US dollars above 0 and at most ${shown}, as "0.50"`;
    return this.checked(nano, path, fits ? undefined : ['is_usd', message]);
  }

  /** Reads JSON of a bounded size whose texts can be stored. */
  json(value: JsonObject, path: string, maxBytes: number): JsonObject | undefined {
    if (Buffer.byteLength(JSON.stringify(value)) > maxBytes)
      return this.checked(value, path, ['max_bytes', `must be at most ${maxBytes} bytes of JSON`, { max: maxBytes }]);
    const message = 'must hold valid text without NUL';
    return this.checked(value, path, hasUnsoundText(value) ? ['is_text', message] : undefined);
  }

  /** Reports the entries that an earlier entry equals. */
  unique(names: readonly (string | undefined)[], pathOf: (index: number) => string): void {
    for (const [index, name] of names.entries())
      if (name !== undefined && names.indexOf(name) < index)
        this.add(pathOf(index), 'is_unique', `is ${name}, which an earlier entry is`);
  }

  /** Returns the value, or undefined when it has a fault, which is reported. */
  private checked<T>(value: T, path: string, fault: Fault | undefined): T | undefined {
    if (fault === undefined) return value;
    this.add(path, ...fault);
    return undefined;
  }
}

type Fault = readonly [code: string, message: string, expected?: unknown];

interface TextBounds {
  readonly min?: number;
  readonly maxBytes: number;
}

function faultOfText(text: string, { min = 0, maxBytes }: TextBounds): Fault | undefined {
  if (text.trim().length < min) return ['min_length', 'must not be empty'];
  if (Buffer.byteLength(text) > maxBytes)
    return ['max_bytes', `must be at most ${maxBytes} bytes of UTF-8`, { max: maxBytes }];
  return UNSOUND.test(text) ? ['is_text', 'must be valid text without NUL'] : undefined;
}

const inRange = (value: unknown, { min, max }: { min: number; max: number }): number | undefined =>
  typeof value === 'number' && value >= min && value <= max ? value : undefined;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function nanoOf(text: string): bigint | undefined {
  try {
    return parseUsd(text);
  } catch {
    return undefined;
  }
}

/** The body nests at most 64 levels, so this may recurse. */
function hasUnsoundText(value: unknown): boolean {
  if (typeof value === 'string') return UNSOUND.test(value);
  if (Array.isArray(value)) return value.some(hasUnsoundText);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => UNSOUND.test(name) || hasUnsoundText(each));
}

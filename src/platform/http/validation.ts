import { type ArgumentMetadata, HttpStatus, Injectable, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type FieldFault, RequestInvalid } from '../errors/request-invalid.js';
import { MalformedRequest } from './http.errors.js';

const PLACES = { body: 'body', query: 'query', param: 'path', custom: 'header' } as const;

/** Validates the input of a route against its DTO and reports every fault of every field at once. */
@Injectable()
export class RequestValidation extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      validationError: { target: true, value: true },
      errorHttpStatusCode: HttpStatus.BAD_REQUEST,
      exceptionFactory: (errors) => new ValidationFaults(errors),
    });
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // A value from a custom decorator is not input. It is returned without a promise, because this runs on every call.
    if (metadata.type === 'custom') return value as Promise<unknown>;
    return this.check(value, metadata);
  }

  private async check(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // No name contains a NUL, and PostgreSQL does not accept it.
    if (metadata.type === 'param' && typeof value === 'string' && value.includes('\0'))
      throw new MalformedRequest('The path of the request contains a NUL.');
    requireNoAccessor(value, metadata);
    try {
      return (await super.transform(value, metadata)) as unknown;
    } catch (thrown) {
      if (thrown instanceof ValidationFaults) throw new RequestInvalid(faultsOf(thrown.errors, PLACES[metadata.type]));
      throw thrown;
    }
  }
}

/**
 * Refuses a field that has the name of an accessor of the class. The transformation leaves such a field out, or fails
 * on it when the accessor is inherited, so the check for unknown fields would not see it.
 *
 * @throws {RequestInvalid} `invalid_request`
 */
function requireNoAccessor(value: unknown, { metatype, type }: ArgumentMetadata): void {
  if (metatype === undefined || typeof value !== 'object' || value === null) return;
  const accessors = accessorsOf(metatype);
  const found = Object.keys(value).find((name) => accessors.has(name));
  if (found === undefined) return;
  const message = `Unknown field: ${found}.`;
  throw new RequestInvalid([{ path: found, in: PLACES[type], code: 'unknown_field', message }]);
}

const ACCESSORS = new WeakMap<object, ReadonlySet<string>>();

/** Returns the names of the accessors of a class, inherited ones included. */
function accessorsOf(metatype: { readonly prototype?: object }): ReadonlySet<string> {
  let names = ACCESSORS.get(metatype);
  if (names === undefined) {
    names = new Set(prototypesOf(metatype.prototype).flatMap(accessorsIn));
    ACCESSORS.set(metatype, names);
  }
  return names;
}

/** Without `Object.prototype`, whose accessor `__proto__` every object has. */
function prototypesOf(prototype: object | null | undefined): object[] {
  if (prototype === null || prototype === undefined || prototype === Object.prototype) return [];
  return [prototype, ...prototypesOf(Object.getPrototypeOf(prototype) as object | null)];
}

function accessorsIn(prototype: object): string[] {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  return properties.filter(([, property]) => property.get !== undefined).map(([name]) => name);
}

/** Carries the faults to {@link RequestInvalid}, because Nest's factory does not receive where the value came from. */
class ValidationFaults extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('The request is not valid.');
  }
}

function faultsOf(errors: readonly ValidationError[], place: FieldFault['in'], parent = ''): FieldFault[] {
  return errors.flatMap((error) => {
    const path = pathOf(parent, error.property);
    // Decorators register from the last to the first. The first one in the source is the most useful: the type.
    const [rule, message] = Object.entries(error.constraints ?? {}).at(-1) ?? [];
    const own = rule === undefined ? [] : [{ path, in: place, ...describe(error, rule, message!) }];
    return [...own, ...faultsOf(error.children ?? [], place, path)];
  });
}

/** Returns a path such as `env[0].name`. Members of a list have numbers as names. */
function pathOf(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

function describe(
  error: ValidationError,
  rule: string,
  message: string,
): Pick<FieldFault, 'code' | 'message' | 'expected' | 'received'> {
  if (rule === 'whitelistValidation') return { code: 'unknown_field', message: `Unknown field: ${error.property}.` };
  const code = rule.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const expected = allowedValuesOf(error, rule);
  // The value is shown only when the field takes one of a few words. Elsewhere it may be long, or a secret.
  if (expected === undefined) return { code, message };
  return {
    code,
    message,
    expected,
    received: typeof error.value === 'string' ? error.value.slice(0, 100) : typeof error.value,
  };
}

function allowedValuesOf(error: ValidationError, rule: string): unknown {
  if (rule !== 'isIn' || error.target === undefined) return undefined;
  const rules = getMetadataStorage().getTargetValidationMetadatas(error.target.constructor, '', false, false);
  return rules.find(({ propertyName, name }) => propertyName === error.property && name === 'isIn')
    ?.constraints[0] as unknown;
}

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import type { JsonSchema } from './json-schema.js';
import { compileSchema } from './schemas/compile-schema.js';
import { type SchemaFault, schemaFaultsOf } from './schemas/schema-rules.js';

export type { SchemaFault };

const MAX_BYTES = 32_768;
const MAX_FAULTS = 20;
/** With all faults a large value could have more of them than fit into memory. */
const MAX_BYTES_FOR_ALL = 4_096;

interface Compiled {
  readonly first: ValidateFunction;
  all: ValidateFunction | undefined;
}

/**
 * Validates JSON against JSON Schemas (draft 2020-12) that tenants write: only those whose time and memory are bounded
 * are accepted.
 */
@Injectable()
export class JsonSchemas {
  static readonly maxBytes = MAX_BYTES;
  private readonly compiled = new LRUCache<string, Compiled>({ max: 500 });
  private readonly digests = new WeakMap<JsonSchema, string>();

  /** Returns what is wrong with a schema. An empty list means that values can be validated against it. */
  faultsOf(schema: JsonSchema): readonly SchemaFault[] {
    const faults = refusedIn(schema);
    if (faults.length > 0) return faults.slice(0, MAX_FAULTS);
    try {
      this.compiledOf(schema);
      return [];
    } catch (error) {
      return [{ path: '', message: `cannot be compiled: ${(error as Error).message.slice(0, 300)}` }];
    }
  }

  /**
   * Returns what is wrong with a value: all faults of a small one, and the first of a large one.
   *
   * @throws {Error} for a schema with faults.
   */
  validate(schema: JsonSchema, value: unknown): readonly SchemaFault[] {
    const compiled = this.compiledOf(schema);
    if (compiled.first(value)) return [];
    if (JSON.stringify(value).length > MAX_BYTES_FOR_ALL) return faultsIn(compiled.first.errors);
    compiled.all ??= compileSchema(schema, { allErrors: true });
    compiled.all(value);
    return faultsIn(compiled.all.errors);
  }

  private compiledOf(schema: JsonSchema): Compiled {
    const digest = this.digestOf(schema);
    let compiled = this.compiled.get(digest);
    if (compiled === undefined) {
      const [fault] = refusedIn(schema);
      if (fault !== undefined) throw new Error(`The schema${fault.path} ${fault.message}.`);
      compiled = { first: compileSchema(schema, { allErrors: false }), all: undefined };
      this.compiled.set(digest, compiled);
    }
    return compiled;
  }

  private digestOf(schema: JsonSchema): string {
    let digest = this.digests.get(schema);
    if (digest === undefined) {
      digest = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
      this.digests.set(schema, digest);
    }
    return digest;
  }
}

const refusedIn = (schema: JsonSchema): readonly SchemaFault[] =>
  Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES
    ? [{ path: '', message: `must be at most ${MAX_BYTES} bytes of JSON` }]
    : schemaFaultsOf(schema);

const faultsIn = (errors: readonly ErrorObject[] | null | undefined): readonly SchemaFault[] =>
  (errors ?? []).slice(0, MAX_FAULTS).map(({ instancePath, message = 'is not valid', params, keyword }) => ({
    path: pathOf(instancePath),
    message: keyword === 'additionalProperties' ? `${message}: ${nameIn(params)}` : message,
  }));

const nameIn = (params: Readonly<Record<string, unknown>>): string =>
  String(params['additionalProperty']).slice(0, 100);

/** Converts a JSON pointer such as `/items/0/name` to `.items[0].name`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');

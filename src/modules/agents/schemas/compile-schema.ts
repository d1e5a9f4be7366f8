import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { JsonSchema } from '../json-schema.js';

interface Pattern {
  test(text: string): boolean;
  /** The compiler distinguishes patterns by this text. */
  toString(): string;
}

/** Matches in linear time, unlike the expressions of the language: no pattern and no text can block the process. */
const linear = Object.assign(
  (pattern: string): Pattern => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linear' },
);

const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // Formats are notes for the model: their expressions are not bounded.
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  code: { regExp: linear },
};

/** Compiles the schema of schemas once, which takes 30 ms. */
const schemaOfSchemas = new Ajv2020({ ...OPTIONS, code: {} });

/**
 * A validator has an instance of its own: one that is shared would keep every schema that it has ever seen.
 *
 * @throws {Error} for what is no schema.
 */
export function compileSchema(schema: JsonSchema, { allErrors }: { allErrors: boolean }): ValidateFunction {
  const rules = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema'));
  if (schemaOfSchemas.validateSchema(rules) !== true)
    throw new Error(schemaOfSchemas.errorsText(schemaOfSchemas.errors, { dataVar: 'schema' }));
  return new Ajv2020({ ...OPTIONS, allErrors, meta: false, validateSchema: false }).compile(rules);
}

/** Returns what is wrong with a pattern, or undefined. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch {
    return 'must be a regular expression as RE2 has them, without look-around and back-references';
  }
}

import { faultOfPattern } from './compile-schema.js';

/** What is wrong with a schema, or with a value. */
export interface SchemaFault {
  /** Where, such as `.properties.name`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

const ONE = ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['$defs', 'dependentSchemas', 'patternProperties', 'properties'];
const PLAIN = [
  '$comment',
  '$ref',
  '$schema',
  'const',
  'default',
  'dependentRequired',
  'deprecated',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'readOnly',
  'required',
  'title',
  'type',
  'uniqueItems',
  'writeOnly',
];
const KEYWORDS: ReadonlySet<string> = new Set([...ONE, ...LISTS, ...MAPS, ...PLAIN]);

const UNSUPPORTED = `is not supported; these keywords are: ${[...KEYWORDS].sort().join(', ')}`;
const MAX_DEPTH = 32;
/** Counted with each reference as often as it is used, because a value is checked against each of them. */
const MAX_SCHEMAS = 500;
const MAX_PATTERN = 200;
/** Comparing each entry with each other one takes quadratic time. */
const MAX_UNIQUE_ITEMS = 200;
/** What tools of other services name; the keywords that are accepted mean the same in both. */
const DRAFTS = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'];
const REF = /^#\/\$defs\/[^/~%]+$/;

/** Returns why a schema is not accepted: unknown keywords, and what could take a value too long to check. */
export function schemaFaultsOf(schema: Json): SchemaFault[] {
  const faults: SchemaFault[] = [];
  checkSchema(schema, { root: schema, path: '', depth: 0, faults });
  if (faults.length === 0 && sizeOf(schema, schema, new Set(), new Map()) > MAX_SCHEMAS)
    faults.push({
      path: '',
      message: `must not refer to itself, nor have more than ${MAX_SCHEMAS} schemas, references written out`,
    });
  return faults;
}

interface Place {
  readonly root: Json;
  readonly path: string;
  readonly depth: number;
  readonly faults: SchemaFault[];
}

function checkSchema(schema: unknown, place: Place): void {
  const { path, depth, faults } = place;
  if (typeof schema === 'boolean' && depth > 0) return;
  if (!isObject(schema)) faults.push({ path, message: 'must be a schema' });
  else if (depth > MAX_DEPTH) faults.push({ path, message: `must nest at most ${MAX_DEPTH} levels` });
  else {
    for (const keyword of Object.keys(schema)) {
      if (!KEYWORDS.has(keyword)) faults.push({ path: `${path}.${keyword.slice(0, 100)}`, message: UNSUPPORTED });
    }
    checkValues(schema, place);
    for (const [at, child] of childrenOf(schema)) checkSchema(child, { ...place, path: path + at, depth: depth + 1 });
  }
}

function checkValues(schema: Json, { root, path, depth, faults }: Place): void {
  const refuse = (keyword: string, message: string): void => {
    faults.push({ path: `${path}.${keyword}`, message });
  };
  const { $schema, $ref, pattern, uniqueItems, maxItems } = schema;
  if ($schema !== undefined && (depth > 0 || !DRAFTS.some((draft) => draft === $schema)))
    refuse('$schema', `must be ${DRAFTS[0]}, at the top`);
  if ($ref !== undefined && (typeof $ref !== 'string' || !REF.test($ref) || targetOf(root, $ref) === undefined))
    refuse('$ref', 'must be #/$defs/<name> of this schema');
  if (depth > 0 && schema['$defs'] !== undefined) refuse('$defs', 'must be at the top');
  const patterns = Object.keys(isObject(schema['patternProperties']) ? schema['patternProperties'] : {});
  for (const each of pattern === undefined ? patterns : [...patterns, pattern]) {
    const fault = faultOf(each);
    if (fault !== undefined) refuse(each === pattern ? 'pattern' : 'patternProperties', fault);
  }
  if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= MAX_UNIQUE_ITEMS))
    refuse('uniqueItems', `needs maxItems of at most ${MAX_UNIQUE_ITEMS}`);
}

const faultOf = (pattern: unknown): string | undefined =>
  typeof pattern === 'string' && pattern.length <= MAX_PATTERN
    ? faultOfPattern(pattern)
    : `must be a regular expression of at most ${MAX_PATTERN} characters`;

/** Returns the schemas directly within a schema, with their places. */
function childrenOf(schema: Json): [string, unknown][] {
  const one = ONE.filter((name) => schema[name] !== undefined).map((name): [string, unknown] => [
    `.${name}`,
    schema[name],
  ]);
  const lists = LISTS.flatMap((name) => {
    const list = schema[name];
    return Array.isArray(list) ? list.map((each, index): [string, unknown] => [`.${name}[${index}]`, each]) : [];
  });
  const maps = MAPS.flatMap((name) =>
    Object.entries(isObject(schema[name]) ? schema[name] : {}).map(([key, each]): [string, unknown] => [
      `.${name}.${key.slice(0, 100)}`,
      each,
    ]),
  );
  return [...one, ...lists, ...maps];
}

/** Counts the schemas that a value is checked against. A schema that refers to itself has no end. */
function sizeOf(root: Json, schema: unknown, open: Set<unknown>, sizes: Map<unknown, number>): number {
  if (!isObject(schema)) return 1;
  const known = sizes.get(schema);
  if (known !== undefined) return known;
  if (open.has(schema)) return Infinity;
  open.add(schema);
  let size = 1;
  for (const [at, child] of childrenOf(schema)) if (!at.startsWith('.$defs')) size += sizeOf(root, child, open, sizes);
  if (typeof schema['$ref'] === 'string') size += sizeOf(root, targetOf(root, schema['$ref']), open, sizes);
  open.delete(schema);
  sizes.set(schema, size);
  return size;
}

function targetOf(root: Json, ref: string): unknown {
  const name = ref.slice('#/$defs/'.length);
  return isObject(root['$defs']) && Object.hasOwn(root['$defs'], name) ? root['$defs'][name] : undefined;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

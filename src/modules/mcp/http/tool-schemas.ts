import type { OpenAPIObject } from '@nestjs/swagger';
import type { JsonSchema, Tool, ToolFile, ToolGroup } from '../tools/tool.js';

/** Where an argument goes. `tool` means that the service reads it and the route never sees it. */
type ArgumentPlace = 'path' | 'query' | 'body' | 'tool';

/** A tool as it is listed, and where its arguments go. */
export interface CompiledTool {
  readonly tool: Tool;
  readonly group: ToolGroup;
  readonly listed: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: JsonSchema & {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, JsonSchema>>;
    };
    readonly outputSchema?: JsonSchema & { readonly type: 'object' };
    readonly annotations: Readonly<Record<string, boolean>>;
  };
  readonly places: ReadonlyMap<string, ArgumentPlace>;
  readonly hasBody: boolean;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Properties = Record<string, JsonSchema>;

interface Arguments {
  readonly properties: Properties;
  readonly required: string[];
  readonly places: Map<string, ArgumentPlace>;
  hasBody: boolean;
}

/** What a model does not need to call a tool, and what JSON Schema does not have. */
const DROPPED = ['example', 'examples', 'nullable', 'deprecated', 'xml', 'externalDocs', 'discriminator'];
/** Schemas that contain themselves are cut here. */
const MAX_DEPTH = 12;

/**
 * Makes the schemas of a tool from those of its route.
 *
 * @throws {Error} when the API document has no such route, or when two of its arguments have the same name.
 */
export function compileTool(document: OpenAPIObject, tool: Tool, { group }: Pick<ToolFile, 'group'>): CompiledTool {
  const { name, title, description, effect, isRepeatable = false } = tool;
  const operation = operationOf(document, tool);
  const inputs = argumentsOf(document, operation, tool);
  const outputSchema = operation && tool.quotes === undefined ? outputOf(document, operation, tool) : undefined;
  return {
    tool,
    group,
    listed: {
      name,
      title,
      description,
      inputSchema: {
        type: 'object',
        properties: inputs.properties,
        ...(inputs.required.length === 0 ? {} : { required: inputs.required }),
        additionalProperties: false,
      },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: {
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'destroys',
        idempotentHint: effect === 'reads' || isRepeatable,
        openWorldHint: false,
      },
    },
    places: inputs.places,
    hasBody: inputs.hasBody,
  };
}

function operationOf({ paths }: OpenAPIObject, { name, method, path, undocumented }: Tool): Operation | undefined {
  const operations = paths[path] as Record<string, Operation> | undefined;
  const operation = operations?.[method.toLowerCase()];
  if (operation === undefined && undocumented === undefined)
    throw new Error(`The tool ${name} names ${method} ${path}, which the API document does not have.`);
  return operation;
}

function argumentsOf(document: OpenAPIObject, operation: Operation | undefined, tool: Tool): Arguments {
  const inputs: Arguments = { properties: {}, required: [], places: new Map(), hasBody: false };
  for (const parameter of operation?.parameters ?? []) {
    if ('$ref' in parameter || (parameter.in !== 'path' && parameter.in !== 'query')) continue;
    const described = { ...plain(document, parameter.schema ?? {}), ...descriptionOf(parameter) };
    add(inputs, tool, { name: parameter.name, schema: described, place: parameter.in, isRequired: parameter.required });
  }
  const { requestBody } = operation ?? {};
  const described = requestBody === undefined || '$ref' in requestBody ? undefined : requestBody.content;
  const body = described?.['application/json']?.schema;
  if (body !== undefined) {
    const { properties = {}, required = [] } = plain(document, body) as {
      properties?: Properties;
      required?: string[];
    };
    inputs.hasBody = true;
    for (const [name, schema] of Object.entries(properties))
      add(inputs, tool, { name, schema, place: 'body', isRequired: required.includes(name) });
  }
  const { undocumented, ownArguments = {}, sendsText, sendsBytes } = tool;
  const content = [sendsText?.text, sendsBytes?.content];
  if (undocumented !== undefined) {
    inputs.hasBody ||= undocumented.in === 'body';
    for (const [name, schema] of Object.entries(undocumented.properties))
      add(inputs, tool, { name, schema, place: undocumented.in, isRequired: schema['default'] === undefined });
  }
  for (const [name, schema] of Object.entries(ownArguments))
    add(inputs, tool, { name, schema, place: 'tool', isRequired: content.includes(name) });
  return inputs;
}

interface Argument {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly place: ArgumentPlace;
  readonly isRequired?: boolean | undefined;
}

function add(inputs: Arguments, tool: Tool, { name, schema, place, isRequired = false }: Argument): void {
  if (inputs.places.has(name)) throw new Error(`The tool ${tool.name} has two arguments that are called ${name}.`);
  inputs.places.set(name, place);
  if (tool.omits?.includes(name) === true) return;
  inputs.properties[name] = schema;
  if (isRequired) inputs.required.push(name);
}

const descriptionOf = ({ description }: { description?: string }): JsonSchema =>
  description === undefined ? {} : { description };

/** The answer is an object `{ data, meta }`. Routes that answer anything else, and dry runs, have no schema. */
function outputOf(
  document: OpenAPIObject,
  { responses }: Operation,
  { keeps, answers = 'json', isDryRun = false }: Tool,
): (JsonSchema & { type: 'object' }) | undefined {
  if (answers !== 'json' || isDryRun) return undefined;
  const success = Object.entries(responses).filter(([status]) => /^2\d\d$/.test(status));
  const schemas = success.flatMap(([, response]) => {
    const schema =
      response === undefined || '$ref' in response ? undefined : response.content?.['application/json']?.schema;
    return schema === undefined ? [] : [plain(document, schema)];
  });
  const [schema] = schemas;
  if (schema === undefined || schema['type'] !== 'object') return undefined;
  const output = schema as JsonSchema & { type: 'object'; properties?: Record<string, JsonSchema> };
  if (keeps === undefined) return output;
  const data = output.properties?.['data'];
  return data === undefined ? output : { ...output, properties: { ...output.properties, data: keptOf(data, keeps) } };
}

function keptOf(schema: JsonSchema, keeps: readonly string[]): JsonSchema {
  const { items, properties, required } = schema as {
    items?: JsonSchema;
    properties?: Properties;
    required?: string[];
  };
  if (items !== undefined) return { ...schema, items: keptOf(items, keeps) };
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => keeps.includes(name))),
    required: (required ?? []).filter((name) => keeps.includes(name)),
  };
}

/** Returns a schema of OpenAPI 3.0 as JSON Schema, without references, because each tool stands for itself. */
function plain(document: OpenAPIObject, schema: unknown, depth = 0): JsonSchema {
  if (depth > MAX_DEPTH) return {};
  const { $ref, allOf, ...rest } = schema as { $ref?: string; allOf?: unknown[]; [key: string]: unknown };
  if ($ref !== undefined) {
    const target = document.components?.schemas?.[$ref.split('/').at(-1)!];
    return target === undefined ? {} : plain(document, target, depth + 1);
  }
  // Nest wraps a reference in `allOf` to describe it. One with several members stays as it is.
  if (allOf?.length === 1) return { ...plain(document, allOf[0], depth + 1), ...plain(document, rest, depth + 1) };
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries({ ...rest, ...(allOf === undefined ? {} : { allOf }) })) {
    if (!DROPPED.includes(key)) result[key] = partOf(document, key, value, depth);
  }
  return rest['nullable'] === true ? orNull(result) : result;
}

function partOf(document: OpenAPIObject, key: string, value: unknown, depth: number): unknown {
  if (key === 'properties')
    return Object.fromEntries(
      Object.entries(value as Properties).map(([name, part]) => [name, plain(document, part, depth + 1)]),
    );
  if (key === 'items' || key === 'not' || (key === 'additionalProperties' && typeof value === 'object'))
    return plain(document, value, depth + 1);
  if (key === 'oneOf' || key === 'anyOf' || key === 'allOf')
    return (value as unknown[]).map((part) => plain(document, part, depth + 1));
  return value;
}

function orNull(schema: Record<string, unknown>): JsonSchema {
  const { enum: values, type } = schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}

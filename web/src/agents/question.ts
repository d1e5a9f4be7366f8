import type { AgentToolCall } from '@service/client';

/** A field of a simple question, from the JSON schema of its answer. */
export interface QuestionField {
  /** Undefined for an answer that is one value. */
  readonly name: string | undefined;
  readonly label: string;
  readonly hint: string | undefined;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly choices: readonly string[] | undefined;
  readonly isRequired: boolean;
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
}

const TYPES = ['string', 'number', 'integer', 'boolean'] as const;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What the call of a tool asks a person, in words. */
export function questionOf({ arguments: given }: Pick<AgentToolCall, 'arguments'>): string {
  return (
    textIn(given['question']) ?? textIn(given['prompt']) ?? textIn(given['message']) ?? JSON.stringify(given, null, 2)
  );
}

/** The fields of the answer. Undefined where a schema is not simple, and JSON has to be typed. */
export function fieldsOf({ arguments: given }: Pick<AgentToolCall, 'arguments'>): readonly QuestionField[] | undefined {
  const schema = given['schema'] ?? given['answer_schema'];
  if (!isObject(schema)) return [fieldOf(undefined, {}, true)!];
  if (schema['type'] !== 'object') {
    const field = fieldOf(undefined, schema, true);
    return field === undefined ? undefined : [field];
  }
  const { properties = {}, required } = schema as Schema;
  if (!isObject(properties)) return undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, each]) =>
    isObject(each) ? fieldOf(name, each, needed.includes(name)) : undefined,
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(name: string | undefined, schema: Schema, isRequired: boolean): QuestionField | undefined {
  const choices =
    Array.isArray(schema.enum) && schema.enum.every((each) => typeof each === 'string') ? schema.enum : undefined;
  const type = TYPES.find((each) => each === (schema.type ?? 'string'));
  if (type === undefined || (schema.enum !== undefined && choices === undefined)) return undefined;
  return {
    name,
    label: textIn(schema.title) ?? name ?? 'Your answer',
    hint: textIn(schema.description),
    type,
    choices,
    isRequired,
  };
}

/** The answer in what was typed into the fields: one value, or an object. */
export function answerIn(fields: readonly QuestionField[], values: Readonly<Record<string, string>>): unknown {
  const valueOf = (field: QuestionField): unknown => {
    const text = values[inputName(field)] ?? '';
    if (field.type === 'boolean') return text === 'on' || text === 'true';
    if (text === '' && !field.isRequired) return undefined;
    return field.type === 'string' ? text : Number(text);
  };
  if (fields.length === 1 && fields[0]!.name === undefined) return valueOf(fields[0]!);
  return Object.fromEntries(fields.map((field) => [field.name!, valueOf(field)]));
}

/** A name that no other field of the form has. */
export const inputName = ({ name }: QuestionField): string => `answer.${name ?? ''}`;

import { types } from 'pg';

const builtins: Readonly<Record<keyof typeof types.builtins, number>> = types.builtins;
const JSON_TYPES: ReadonlySet<number> = new Set([builtins.JSON, builtins.JSONB]);
const NUMBER_TYPES: ReadonlySet<number> = new Set([builtins.INT2, builtins.INT4, builtins.OID]);
const FLOAT_TYPES: ReadonlySet<number> = new Set([builtins.FLOAT4, builtins.FLOAT8]);
const MAX_DEPTH = 16;

const NAMES = new Map<number, string>(Object.entries(builtins).map(([name, id]) => [id, name.toLowerCase()]));

/** Returns the name of one of PostgreSQL's own types, or undefined. */
export const nameOfType = (typeId: number): string | undefined => NAMES.get(typeId);

/**
 * Returns what PostgreSQL reads as this value. Arrays are arrays of PostgreSQL unless the parameter is JSON, and
 * objects are JSON.
 */
export function parameterText(value: unknown, typeId: number | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && !(typeId !== undefined && JSON_TYPES.has(typeId))) return arrayLiteral(value, 0);
  return plainText(value);
}

/** Texts stay as they are, and all else is written as JSON has it. */
const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function arrayLiteral(values: readonly unknown[], depth: number): string {
  if (depth >= MAX_DEPTH) return '{}';
  const items = values.map((value) => {
    if (value === null) return 'NULL';
    if (Array.isArray(value)) return arrayLiteral(value, depth + 1);
    const text = plainText(value);
    return `"${text.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${items.join(',')}}`;
}

/**
 * Returns a value as JSON has it. Numbers that JavaScript would round, times and all that JSON lacks stay text, as
 * PostgreSQL writes it.
 */
export function resultValue(text: string | null, typeId: number): unknown {
  if (text === null) return null;
  if (typeId === builtins.BOOL) return text === 't';
  if (NUMBER_TYPES.has(typeId)) return Number(text);
  if (FLOAT_TYPES.has(typeId)) return Number.isFinite(Number(text)) ? Number(text) : text;
  if (JSON_TYPES.has(typeId)) return jsonOf(text);
  return text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // PostgreSQL checks it, but nests deeper than a parser may.
    return text;
  }
}

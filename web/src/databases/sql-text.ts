import type { SchemaTable } from './types.js';

/** A name as SQL takes it, whatever it contains. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The columns of the primary key of a table, in the order of the table. */
export function keysOf({ columns, indexes }: Pick<SchemaTable, 'columns' | 'indexes'>): string[] {
  const definition = indexes.find(({ primary }) => primary)?.definition ?? '';
  const listed = /\((.*?)\)(?: INCLUDE .*)?$/s.exec(definition)?.[1]?.split(', ') ?? [];
  return columns.map(({ name }) => name).filter((name) => listed.includes(name) || listed.includes(quoted(name)));
}

interface RowsWanted {
  readonly schema: string;
  readonly table: string;
  /** The order in which rows are paged; without one the pages could overlap. */
  readonly orderBy: readonly string[];
  readonly descending?: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** The statement for a page of the rows of a table. */
export function rowsSql({ schema, table, orderBy, descending = false, limit, offset }: RowsWanted): string {
  const order = orderBy.map((name) => `${quoted(name)}${descending ? ' DESC' : ''}`).join(', ');
  return (
    `SELECT * FROM ${quoted(schema)}.${quoted(table)}` +
    `${order === '' ? '' : ` ORDER BY ${order}`} LIMIT ${limit} OFFSET ${offset}`
  );
}

/** A value as a person reads it; null for SQL's NULL. */
export function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The index in the text, which counts in units of 16 bits, of a position of PostgreSQL, which counts characters. */
export function indexAt(sql: string, position: number): number {
  let at = 0;
  for (let left = position; left > 1 && at < sql.length; left--) at += sql.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

/** The line of a text that a position is in. The column counts from 1. */
export function lineAt(sql: string, position: number): { line: number; column: number; text: string } {
  const before = sql.slice(0, indexAt(sql, position));
  const start = before.lastIndexOf('\n') + 1;
  const end = sql.indexOf('\n', start);
  return {
    line: before.split('\n').length,
    column: before.length - start + 1,
    text: sql.slice(start, end === -1 ? undefined : end),
  };
}

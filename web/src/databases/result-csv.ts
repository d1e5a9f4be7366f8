import type { DatabaseResult } from '@service/client';
import { cellText } from './sql-text.js';

/** RFC 4180, with a header. A text that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvOf({ columns, rows }: Pick<DatabaseResult, 'columns' | 'rows'>): string {
  const lines: readonly (readonly unknown[])[] = [columns.map(({ name }) => name), ...rows];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

function field(value: unknown): string {
  const text = cellText(value) ?? '';
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

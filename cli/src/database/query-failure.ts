import { ServiceError } from '@service/client';
import { printable } from '../terminal.js';

const WIDTH = 70;

/** Shows the line of a statement at fault, with a mark below its position; undefined if the error has no position. */
export function placeText(sql: string, error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const { position } = (error.details ?? {}) as { position?: unknown };
  if (typeof position !== 'number' || position < 1) return undefined;
  // PostgreSQL counts characters, and JavaScript counts halves of some.
  const before = Array.from(sql)
    .slice(0, position - 1)
    .join('');
  const start = before.lastIndexOf('\n') + 1;
  const line = sql.slice(start).split('\n', 1)[0]!;
  const column = before.length - start;
  const from = Math.max(0, column - WIDTH / 2);
  const label = `LINE ${before.split('\n').length}: ${from > 0 ? '…' : ''}`;
  return `${label}${printable(line.slice(from, from + WIDTH))}\n${' '.repeat(label.length + column - from)}^`;
}

import type { DatabaseResult } from '@service/client';
import { type Paint, printable, widthOf } from '../terminal.js';

/** Numbers stand on the right, as in psql. */
const NUMERIC = /^(int[248]|integer|smallint|bigint|numeric|real|double precision|float[48]|oid|money)$/;

type Result = Pick<DatabaseResult, 'columns' | 'rows' | 'row_count' | 'truncated' | 'command'>;

/** The result of a statement as psql draws it. With `expanded`, each row is a block with a line for each column. */
export function resultText(paint: Paint, result: Result, expanded = false): string {
  const { columns, rows, row_count: count, truncated, command } = result;
  if (columns.length === 0) return count === 0 ? (command ?? '') : `${command ?? ''} ${count}`;
  const cells = rows.map((row) => row.map((value) => cellText(paint, value)));
  const names = columns.map(({ name }) => printable(name));
  const end = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${truncated ? ', and more' : ''})`;
  const body = expanded ? expandedText(paint, names, cells) : gridText(paint, names, { columns, cells });
  return [...body, paint.dim(end)].join('\n');
}

function gridText(
  paint: Paint,
  names: readonly string[],
  { columns, cells }: { columns: Result['columns']; cells: readonly (readonly string[])[] },
): string[] {
  const widths = names.map((name, at) => cells.reduce((most, row) => Math.max(most, widthOf(row[at]!)), name.length));
  const line = (row: readonly string[], isRight: (at: number) => boolean): string =>
    row
      .map((cell, at) => {
        const space = ' '.repeat(widths[at]! - widthOf(cell));
        return isRight(at) ? space + cell : cell + space;
      })
      .join(' | ')
      .trimEnd();
  return [
    line(
      names.map((name) => paint.bold(name)),
      () => false,
    ),
    widths.map((width) => '-'.repeat(width)).join('-+-'),
    ...cells.map((row) => line(row, (at) => NUMERIC.test(columns[at]!.type))),
  ];
}

function expandedText(paint: Paint, names: readonly string[], cells: readonly (readonly string[])[]): string[] {
  const width = Math.max(...names.map(({ length }) => length));
  return cells.flatMap((row, index) => [
    paint.dim(`-[ ${index + 1} ]${'-'.repeat(width)}`),
    ...row.map((cell, at) => `${paint.bold(names[at]!.padEnd(width))} | ${cell}`),
  ]);
}

function cellText(paint: Paint, value: unknown): string {
  if (value === null || value === undefined) return paint.dim('NULL');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text.replaceAll('\r\n', '↵').replaceAll('\n', '↵'));
}

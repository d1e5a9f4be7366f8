import type { PlainCell, PlainTable } from '@service/client/html-tables';
import { printable } from '../terminal.js';

const MOST_ROWS = 100;
const MOST_COLUMNS = 50;
const MOST_CELL_COLUMNS = 50;
/** A letter with its accents has a handful of them. Nobody reads one with hundreds. */
const MOST_CELL_UNITS = 400;
const GAP = '  ';
const REST = '…';

/** Halves of letters, and what changes the direction or place of others. A joiner stays: pictograms have it. */
const UNSEEN = /\p{Surrogate}|[\u061C\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
/** Letters of two columns: those of East Asia, and pictograms. */
const WIDE = new RegExp(
  String.raw`\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF]|` +
    String.raw`[\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]`,
  'u',
);
const NUMBER = /^(?:[-+−]?[$€£]?\d[\d.,_ ]*(?:e[-+]?\d+)?j?\s?%?|[-+]?(?:nan|inf)|None|NaT|<NA>)$/i;
const LETTERS = new Intl.Segmenter();

/** A table as lines for a terminal. */
interface TableText {
  readonly text: string;
  /** Rows, columns or ends of cells are left out. */
  readonly isCut: boolean;
}

/** Letters as a terminal shows them. */
interface Shown {
  readonly text: string;
  readonly columns: number;
  readonly isCut: boolean;
}

/** Returns the table with aligned columns, at most so many columns of a terminal wide. Nothing in it is obeyed. */
export function tableText({ rows, isCut }: PlainTable, mostColumns: number): TableText {
  const heads = headsOf(rows);
  const grid = gridOf(rows.slice(0, MOST_ROWS));
  const mostInCell = Math.max(Math.min(MOST_CELL_COLUMNS, mostColumns - GAP.length - REST.length), 1);
  const cells = grid.map((row) => row.map((cell) => shownIn(mostInCell, cell?.text ?? '')));
  const count = Math.max(...cells.map((row) => row.length), 0);
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...cells.map((row) => row[column]?.columns ?? 0)),
  );
  const fitting = fittingOf(widths, mostColumns);
  const columns = widths
    .slice(0, fitting)
    .map((width, column) => ({ width, isRight: isNumeric(grid.slice(heads), column) }));
  const rest = fitting < count ? [REST] : [];
  const lines = cells.map((row) => [...columns.map((column, index) => padded(row[index], column)), ...rest]);
  if (heads > 0 && heads < lines.length)
    lines.splice(
      heads,
      0,
      columns.map(({ width }) => '-'.repeat(width)),
    );
  const isPlaced = grid.flat().filter((cell) => cell !== undefined).length === rows.flat().length;
  return {
    text: lines.map((parts) => parts.join(GAP).trimEnd()).join('\n'),
    isCut: isCut || !isPlaced || fitting < count || cells.flat().some((each) => each.isCut),
  };
}

/** Puts cells that take several columns or rows at their place. What else they cover is empty. */
function gridOf(rows: readonly (readonly PlainCell[])[]): (PlainCell | undefined)[][] {
  const grid: (PlainCell | undefined)[][] = rows.map(() => []);
  /** For each column the first row that is free again. */
  const free: number[] = [];
  for (const [at, row] of rows.entries()) {
    let column = 0;
    for (const cell of row) {
      while ((free[column] ?? 0) > at) column++;
      const end = Math.min(column + cell.columns, MOST_COLUMNS);
      if (column >= end) break;
      grid[at]![column] = cell;
      for (; column < end; column++) free[column] = at + cell.rows;
    }
    grid[at] = Array.from(grid[at]!);
  }
  return grid;
}

/** The number of rows at the top that have headings only. */
function headsOf(rows: readonly (readonly PlainCell[])[]): number {
  const body = rows.findIndex((row) => row.some(({ isHead }) => !isHead));
  return body < 0 ? 0 : body;
}

function isNumeric(body: readonly (readonly (PlainCell | undefined)[])[], column: number): boolean {
  const texts = body.map((row) => row[column]?.text ?? '').filter((text) => text !== '' && !/^\.+$/.test(text));
  return texts.length > 0 && texts.every((text) => NUMBER.test(text));
}

/** The number of columns that fit beside each other, with the sign for those that do not. The first is always there. */
function fittingOf(widths: readonly number[], mostColumns: number): number {
  const widthOf = (count: number): number =>
    widths.slice(0, count).reduce((sum, width) => sum + width, 0) + GAP.length * (count - 1);
  let fitting = widths.length;
  while (fitting > 1 && widthOf(fitting) + (fitting < widths.length ? GAP.length + 1 : 0) > mostColumns) fitting--;
  return fitting;
}

function padded(cell: Shown | undefined, { width, isRight }: { width: number; isRight: boolean }): string {
  const { text, columns } = cell ?? { text: '', columns: 0 };
  const room = ' '.repeat(Math.max(width - columns, 0));
  return isRight ? room + text : text + room;
}

/** Cuts a text to the width of a cell, letter by letter. */
function shownIn(mostColumns: number, text: string): Shown {
  const safe = printable(text.slice(0, MOST_CELL_UNITS)).replace(/\t/g, ' ').replace(UNSEEN, '\uFFFD');
  const letters = [...LETTERS.segment(safe)].map(({ segment }) => ({ segment, columns: WIDE.test(segment) ? 2 : 1 }));
  const columns = letters.reduce((sum, letter) => sum + letter.columns, 0);
  if (columns <= mostColumns && text.length <= MOST_CELL_UNITS) return { text: safe, columns, isCut: false };
  const kept = { text: '', columns: 0 };
  for (const letter of letters) {
    if (kept.columns + letter.columns + REST.length > mostColumns) break;
    kept.text += letter.segment;
    kept.columns += letter.columns;
  }
  return { text: kept.text + REST, columns: kept.columns + REST.length, isCut: true };
}

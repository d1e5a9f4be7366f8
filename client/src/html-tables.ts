/** A piece of an HTML document: a table of plain cells, or text. */
export type Piece = { readonly table: PlainTable } | { readonly text: string };

/** A table as plain text: at most 200 rows in a document, and 50 cells in a row. */
export interface PlainTable {
  readonly rows: readonly (readonly PlainCell[])[];
  /** The document has more rows or columns. */
  readonly isCut: boolean;
}

/** A cell of a table. Its text is one line of at most 1,000 characters. */
export interface PlainCell {
  readonly text: string;
  readonly isHead: boolean;
  /** The columns and rows that it takes. */
  readonly columns: number;
  readonly rows: number;
}

const MOST_PIECES = 100;
/** The most of all tables together. */
const MOST_ROWS = 200;
const MOST_COLUMNS = 50;
const MOST_CELL = 1_000;
const MOST_TEXT = 50_000;

const TAG = /<(\/?)([a-z][a-z0-9]*)/iy;
/** What stands in them is no text. */
const HIDDEN = new Set(['script', 'style', 'title', 'template', 'noscript', 'iframe', 'object', 'svg', 'head']);
/** They begin a line. */
const BLOCKS = new Set(['br', 'p', 'div', 'li', 'ul', 'ol', 'pre', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * Reads the tables and the texts of HTML that a program wrote, which may be hostile.
 *
 * The markup never becomes a part of a document, not even of a sandboxed frame: `srcdoc` and `DOMParser` take strings
 * as markup, which a policy of trusted types forbids everywhere, and an exception would be one for all code. So this
 * reads tags by itself, returns plain strings, and nothing of it can run, load or be styled. Texts may still hold what
 * a terminal would obey. It goes through the text once.
 */
export function piecesOf(html: string): readonly Piece[] {
  const reader = new Reader();
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    if (start < 0) break;
    reader.text(html.slice(at, start));
    at = afterMarkup(html, start, reader);
  }
  if (at < html.length) reader.text(html.slice(at));
  return reader.end();
}

/** Returns where the text goes on after the tag or the comment at `start`. */
function afterMarkup(html: string, start: number, reader: Reader): number {
  if (html.startsWith('<!--', start)) return after(html, '-->', start + 4);
  TAG.lastIndex = start;
  const found = TAG.exec(html);
  if (found === null) {
    // Declarations are left out; a lone sign is text.
    if (html[start + 1] === '!' || html[start + 1] === '?') return after(html, '>', start);
    reader.text('<');
    return start + 1;
  }
  const name = found[2]!.toLowerCase();
  const end = endOfTag(html, TAG.lastIndex);
  if (found[1] === '/') {
    reader.close(name);
    return end;
  }
  if (HIDDEN.has(name)) return afterHidden(html, name, end);
  reader.open(name, html.slice(TAG.lastIndex, Math.min(end, TAG.lastIndex + 500)));
  return end;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

/** A sign in quotes does not end a tag. */
function endOfTag(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at++) {
    const sign = html[at]!;
    if (quote !== '') {
      if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '>') return at + 1;
  }
  return html.length;
}

function afterHidden(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}\\b`, 'gi');
  closing.lastIndex = from;
  return closing.test(html) ? endOfTag(html, closing.lastIndex) : html.length;
}

interface OpenCell {
  text: string;
  readonly isHead: boolean;
  readonly columns: number;
  readonly rows: number;
}

class Reader {
  private readonly pieces: Piece[] = [];
  private plain = '';
  private rows: OpenCell[][] | undefined;
  private cell: OpenCell | undefined;
  private isCut = false;
  private isFull = false;
  private rowCount = 0;
  /** Tables inside of cells are read as their text. */
  private depth = 0;

  text(raw: string): void {
    if (raw === '') return;
    if (this.cell !== undefined) {
      if (this.cell.text.length < MOST_CELL) this.cell.text += decoded(raw.slice(0, 2 * MOST_CELL));
    } else if (this.rows === undefined && this.plain.length < MOST_TEXT) {
      this.plain += decoded(raw.slice(0, 2 * MOST_TEXT));
    }
  }

  open(name: string, attributes: string): void {
    if (name === 'table') this.openTable();
    else if (this.rows !== undefined && this.depth === 1 && name === 'tr') this.openRow();
    else if (this.rows !== undefined && this.depth === 1 && (name === 'td' || name === 'th'))
      this.openCell(name === 'th', attributes);
    else if (BLOCKS.has(name)) this.text('\n');
    else if (name === 'td' || name === 'th') this.text(' ');
  }

  close(name: string): void {
    if (name === 'table' && this.depth > 0) {
      this.depth--;
      if (this.depth === 0) this.closeTable();
      else this.text(' ');
    } else if (this.depth === 1 && (name === 'td' || name === 'th' || name === 'tr')) {
      this.cell = undefined;
    } else if (BLOCKS.has(name)) {
      this.text('\n');
    }
  }

  end(): readonly Piece[] {
    this.closeTable();
    this.closeText();
    return this.pieces;
  }

  private openTable(): void {
    this.depth++;
    if (this.depth > 1) return;
    this.closeText();
    this.rows = [];
    this.isCut = false;
    this.isFull = false;
  }

  private openRow(): void {
    this.cell = undefined;
    this.isFull = this.rowCount >= MOST_ROWS;
    if (this.isFull) {
      this.isCut = true;
      return;
    }
    this.rowCount++;
    this.rows!.push([]);
  }

  private openCell(isHead: boolean, attributes: string): void {
    this.cell = undefined;
    if (this.rows!.length === 0) this.openRow();
    const row = this.rows!.at(-1);
    if (this.isFull || row === undefined) return;
    if (row.length >= MOST_COLUMNS) {
      this.isCut = true;
      return;
    }
    this.cell = { text: '', isHead, columns: spanIn(attributes, 'colspan'), rows: spanIn(attributes, 'rowspan') };
    row.push(this.cell);
  }

  private closeTable(): void {
    const rows = (this.rows ?? [])
      .filter((row) => row.length > 0)
      .map((row) => row.map((cell) => ({ ...cell, text: cell.text.replace(/\s+/g, ' ').trim().slice(0, MOST_CELL) })));
    this.add(rows.length > 0 || this.isCut ? { table: { rows, isCut: this.isCut } } : undefined);
    this.rows = undefined;
    this.cell = undefined;
    this.depth = 0;
  }

  private add(piece: Piece | undefined): void {
    if (piece !== undefined && this.pieces.length < MOST_PIECES) this.pieces.push(piece);
  }

  private closeText(): void {
    const lines = this.plain
      .split('\n')
      .map((line) => line.trim())
      .filter((line, index, all) => line !== '' || (index > 0 && all[index - 1] !== ''));
    const text = lines.join('\n').trim();
    this.add(text === '' ? undefined : { text });
    this.plain = '';
  }
}

function spanIn(attributes: string, name: 'colspan' | 'rowspan'): number {
  const found = new RegExp(`\\b${name}\\s*=\\s*["']?(\\d{1,3})`, 'i').exec(attributes);
  return Math.max(1, Math.min(MOST_COLUMNS, Number(found?.[1] ?? 1)));
}

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

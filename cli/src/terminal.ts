import type { Environment } from './environment.js';

type Style = (text: string) => string;

/** The styles of text on a terminal. They leave text unchanged where colours are not wanted. */
export interface Paint {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
}

const ESCAPES = /\u001B\[\d+m/g;

/** `FORCE_COLOR` decides first, then `NO_COLOR`. Without either, only a terminal shows colours. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  { noColor, forceColor, dumbTerminal }: Pick<Environment, 'noColor' | 'forceColor' | 'dumbTerminal'>,
): Paint {
  return paint(forceColor ?? (!noColor && !dumbTerminal && stream.isTTY === true));
}

export const paint = (colored: boolean): Paint => ({
  bold: colored ? between(1, 22) : same,
  dim: colored ? between(2, 22) : same,
  red: colored ? between(31, 39) : same,
  green: colored ? between(32, 39) : same,
  yellow: colored ? between(33, 39) : same,
});

/** The number of columns that the text takes on a terminal, without its styles. */
export const widthOf = (text: string): number => text.replace(ESCAPES, '').length;

/**
 * Returns text of others, such as lines of an app that repeat what its visitors sent, without what a terminal would
 * obey.
 */
export const printable = (text: string): string =>
  text.replace(/\u001B\[[\d;]*m/g, '').replace(/[\u0000-\u0008\u000A-\u001F\u007F-\u009F]/g, '\uFFFD');

/** The same for text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** One line on standard error that shows how far a command is, on a terminal only. */
export class Progress {
  private shown = false;

  constructor(private readonly wanted: boolean) {}

  show(text: string): void {
    if (!this.wanted) return;
    const columns = process.stderr.columns || 80;
    process.stderr.write(`\r\u001B[2K${text.slice(0, columns - 1)}`);
    this.shown = true;
  }

  /** Removes the line, so that other output can follow. */
  clear(): void {
    if (this.shown) process.stderr.write('\r\u001B[2K');
    this.shown = false;
  }
}

const same: Style = (text) => text;

function between(open: number, close: number): Style {
  return (text) => (text === '' ? text : `\u001B[${open}m${text}\u001B[${close}m`);
}

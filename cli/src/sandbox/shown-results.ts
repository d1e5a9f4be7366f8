import type { RichResult } from '@service/client';
import { type Piece, piecesOf } from '@service/client/html-tables';
import type { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { sizeText } from '../sizes.js';
import { printable, printableLines } from '../terminal.js';
import { indentedJson } from './json-text.js';
import { SavedResults } from './saved-results.js';
import { tableText } from './table-text.js';

/** The option for the directory of {@link SavedResults}. */
export const SAVE_RESULTS_OPTION = [
  '--save-results <directory>',
  'save pictures and HTML among the results to this directory (default: pictures, to a temporary one)',
] as const;

/** @throws {UsageError} with `--json`, which prints the results themselves. */
export function savedResultsIn(directory: string | undefined, { json }: Context): SavedResults {
  if (json && directory !== undefined)
    throw new UsageError('--json prints the results themselves. Leave out --save-results.');
  return new SavedResults(directory);
}

/** A pipe has no width. */
const PIPE_COLUMNS = 160;

/** How pictures are saved. SVG is a document that may have scripts, so that it is not for a terminal either. */
const PICTURES: Readonly<Record<string, { readonly extension: string; readonly encoding: 'base64' | 'utf8' }>> = {
  'image/png': { extension: 'png', encoding: 'base64' },
  'image/jpeg': { extension: 'jpg', encoding: 'base64' },
  'image/svg+xml': { extension: 'svg', encoding: 'utf8' },
};

/**
 * Shows the results of a run as a terminal can: texts and tables are printed, pictures are saved and named. The program
 * has written all of them, so that nothing in them is obeyed.
 */
export async function showResults(results: readonly RichResult[], saved: SavedResults): Promise<void> {
  for (const { type, data } of results) {
    const picture = PICTURES[type];
    if (picture !== undefined) {
      named('picture', await saved.save(picture.extension, Buffer.from(data, picture.encoding)));
    } else if (type === 'text/html') {
      await showHtml(data, saved);
    } else if (type === 'application/json') {
      print(printableLines(indentedJson(data)));
    } else if (type === 'text/plain') {
      print(printableLines(data));
    } else {
      note(`a result of type ${printable(type)} (${sizeText(data.length)}) cannot be shown`);
    }
  }
}

async function showHtml(html: string, saved: SavedResults): Promise<void> {
  let isCut = false;
  for (const piece of piecesOf(html)) isCut = showPiece(piece) || isCut;
  if (saved.areWanted) named('HTML', await saved.save('html', html));
  else if (isCut) note('the rest of the table is left out; --save-results saves all of it');
}

/** Returns whether something is left out. */
function showPiece(piece: Piece): boolean {
  if ('text' in piece) {
    print(printableLines(piece.text));
    return false;
  }
  const { text, isCut } = tableText(piece.table, process.stdout.columns || PIPE_COLUMNS);
  print(text);
  return isCut;
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const note = (text: string): boolean => process.stderr.write(`service: ${text}\n`);
const named = (what: string, path: string): boolean => note(`${what} saved as ${path}`);

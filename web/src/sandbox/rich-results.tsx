import type { RichResult } from '@service/client';
import { type ReactNode, useMemo } from 'react';
import { type Piece, piecesOf, type PlainTable } from '../../../client/src/html-tables';
import { Button } from '../ui/button';
import { saveFile } from '../ui/save-file';
import { Picture } from './picture';

interface RichResultsProps {
  /** The run, which tells its pictures from those of others. */
  readonly run: string;
  readonly results: readonly RichResult[];
}

const MOST_TEXT = 100_000;

/** What a program shows beside its output. Nothing of it runs: texts are text, pictures are drawn, tables are read. */
export function RichResults({ run, results }: RichResultsProps): ReactNode {
  return (
    <div role="group" aria-label="Results" className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      {results.map((result, index) => (
        <ShownResult key={index} name={`${run}/${index}`} number={index + 1} result={result} />
      ))}
    </div>
  );
}

interface ShownResultProps {
  readonly name: string;
  readonly number: number;
  readonly result: RichResult;
}

function ShownResult({ name, number, result: { type, data } }: ShownResultProps): ReactNode {
  switch (type) {
    case 'image/png':
    case 'image/jpeg':
      return (
        <Picture
          label={`Picture ${number}`}
          name={name}
          load={() => Promise.resolve(Uint8Array.from(atob(data), byteOf))}
        />
      );
    case 'text/html':
      return <Html number={number} html={data} />;
    case 'image/svg+xml':
      return (
        <div className="grid gap-2">
          <Source label={`SVG source ${number}`} text={data} />
          <Button
            className="w-fit"
            onClick={() => {
              saveFile(`picture-${number}.svg`, type, data);
            }}
          >
            Save the SVG
          </Button>
        </div>
      );
    case 'application/json':
      return <Text label={`JSON ${number}`} text={indented(data)} />;
    case 'text/plain':
      return <Text label={`Result ${number}`} text={data} />;
  }
}

const byteOf = (letter: string): number => letter.charCodeAt(0);

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}

function Text({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={label}
      className="border-line max-h-96 overflow-auto rounded-md border p-3 font-mono text-sm break-words whitespace-pre-wrap"
    >
      {text.slice(0, MOST_TEXT)}
      {text.length > MOST_TEXT && '\n…'}
    </pre>
  );
}

function Source({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <details>
      <summary className="text-muted hover:text-ink min-h-6 w-fit">{label}</summary>
      <div className="mt-2">
        <Text label={label} text={text} />
      </div>
    </details>
  );
}

function Html({ number, html }: { readonly number: number; readonly html: string }): ReactNode {
  // A cell is drawn again at each letter that is typed in it.
  const pieces = useMemo(() => piecesOf(html), [html]);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      {pieces.map((piece, index) => (
        <ShownPiece key={index} label={`Table ${number}${index === 0 ? '' : `.${index + 1}`}`} piece={piece} />
      ))}
      <Source label={`HTML source ${number}`} text={html} />
    </div>
  );
}

function ShownPiece({ label, piece }: { readonly label: string; readonly piece: Piece }): ReactNode {
  if ('text' in piece) return <p className="break-words whitespace-pre-line">{piece.text}</p>;
  return <ShownTable label={label} table={piece.table} />;
}

function ShownTable({
  label,
  table: { rows, isCut },
}: {
  readonly label: string;
  readonly table: PlainTable;
}): ReactNode {
  return (
    <div>
      <div
        role="region"
        aria-label={label}
        tabIndex={0}
        className="border-line max-h-96 w-fit max-w-full overflow-auto rounded-md border"
      >
        <table className="text-left text-sm tabular-nums">
          <tbody>
            {rows.map((row, at) => (
              <tr key={at} className="border-line border-b last:border-0">
                {row.map(({ text, isHead, columns, rows: height }, index) => {
                  // A heading without a word names nothing.
                  const Part = isHead && text !== '' ? 'th' : 'td';
                  return (
                    <Part
                      key={index}
                      colSpan={columns}
                      rowSpan={height}
                      className={`px-3 py-1.5 ${isHead ? 'text-muted font-medium' : ''}`}
                    >
                      {text}
                    </Part>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && <p className="text-muted mt-1 text-sm">The rest of the table is left out.</p>}
    </div>
  );
}

import type { DatabaseResult } from '@service/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/code-block';
import { Dialog } from '../ui/dialog';
import { cellText } from './sql-text';

interface GridProps {
  readonly label: string;
  readonly columns: DatabaseResult['columns'];
  readonly rows: DatabaseResult['rows'];
  /** The number of the first row, where rows come page by page. */
  readonly first?: number;
  /** The column that orders the rows, and how to choose another. */
  readonly order?: { readonly by: string | undefined; readonly descending: boolean; onOrder: (column: string) => void };
}

/** So many rows are in the page at first, and more on request: thousands of them would hold the page up. */
const SHOWN = 100;
const MORE = 400;
/** Figures stand on the right, so that their places line up. */
const isNumeric = (type: string | undefined): boolean =>
  /^(?:u?int|float|numeric|big|small|real|double|oid)/.test(type ?? '');
/** A cell shows the beginning of a long text; the row in full has all of it. */
const CHARACTERS = 200;

/** Rows as a table that scrolls by itself. A row opens in full. */
export function Grid({ label, columns, rows, first = 1, order }: GridProps): ReactNode {
  const [shown, setShown] = useState(SHOWN);
  const [open, setOpen] = useState<number>();
  const opened = open === undefined ? undefined : rows[open];
  return (
    <div className="card overflow-hidden">
      <div className="relative max-h-[32rem] overflow-auto" tabIndex={0} role="region" aria-label={label}>
        <table className="w-full text-left text-sm">
          <thead className="bg-surface sticky top-0 z-[1]">
            <tr className="shadow-[inset_0_-1px_var(--line)]">
              <th scope="col" className="w-0 px-2 py-2">
                <span className="sr-only">Row</span>
              </th>
              {columns.map(({ name, type }, index) => (
                <th
                  key={index}
                  scope="col"
                  className={`px-3 py-1.5 align-bottom font-medium whitespace-nowrap ${isNumeric(type) ? 'text-right' : ''}`}
                  {...(order?.by === name && { 'aria-sort': order.descending ? 'descending' : 'ascending' })}
                >
                  {order === undefined ? (
                    name
                  ) : (
                    <button
                      type="button"
                      className="hover:text-accent-ink min-h-6"
                      onClick={() => {
                        order.onOrder(name);
                      }}
                    >
                      {name}
                      {order.by === name && <span aria-hidden="true"> {order.descending ? '↓' : '↑'}</span>}
                    </button>
                  )}
                  <span className="text-muted block text-xs font-normal">{type}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              <tr key={at} className="border-line border-b last:border-0">
                <td className="px-2 py-1">
                  <button
                    type="button"
                    className="text-muted hover:text-ink min-h-6 min-w-6 text-right text-xs tabular-nums"
                    aria-label={`Open row ${first + at}`}
                    onClick={() => {
                      setOpen(at);
                    }}
                  >
                    {first + at}
                  </button>
                </td>
                {row.map((value, index) => (
                  <td
                    key={index}
                    className={`max-w-80 truncate px-3 py-1 font-mono text-xs ${isNumeric(columns[index]?.type) ? 'text-right' : ''}`}
                  >
                    <Value value={value} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <div className="border-line grid justify-items-center border-t p-2">
          <Button
            onClick={() => {
              setShown(shown + MORE);
            }}
          >
            Show more of {rows.length} rows
          </Button>
        </div>
      )}
      <Dialog
        open={opened !== undefined}
        title={`Row ${first + (open ?? 0)}`}
        wide
        onClose={() => {
          setOpen(undefined);
        }}
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {opened?.map((value, index) => (
            <div key={index}>
              <p className="mb-1 font-medium">
                {columns[index]?.name} <span className="text-muted text-xs font-normal">{columns[index]?.type}</span>
              </p>
              <CodeBlock text={inFull(value)} label={columns[index]?.name ?? ''} wrap />
            </div>
          ))}
        </div>
      </Dialog>
    </div>
  );
}

function Value({ value }: { readonly value: unknown }): ReactNode {
  const text = cellText(value);
  if (text === null) return <span className="text-muted italic">NULL</span>;
  return text.length > CHARACTERS ? `${text.slice(0, CHARACTERS)}…` : text;
}

function inFull(value: unknown): string {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, null, 2);
  return cellText(value) ?? 'NULL';
}

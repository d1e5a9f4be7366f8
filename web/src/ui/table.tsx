import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Actions have no heading for the eye, and stand on the right. */
  readonly actions?: boolean;
  /** Figures stand on the right, so that their places line up. */
  readonly numeric?: boolean;
  /** Left out where there is little room. */
  readonly wideOnly?: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Below the last row, such as a button for more. */
  readonly more?: ReactNode;
}

/**
 * A table that scrolls sideways by itself where it must. It is the place of what only screen readers see in it, which
 * would else make the page wider than a phone.
 */
export function Table<Row>({ label, columns, rows, keyOf, more }: TableProps<Row>): ReactNode {
  const shown = ({ wideOnly = false, actions = false, numeric = false }: Column<Row>): string =>
    `${wideOnly ? 'hidden sm:table-cell' : ''} ${actions || numeric ? 'text-right' : ''}`;
  return (
    <div className="card overflow-hidden">
      <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
        <table className="w-full text-left">
          <thead className="text-muted border-line border-b text-xs">
            <tr>
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  className={`px-2 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 sm:px-4 ${shown(column)}`}
                >
                  <span className={column.actions === true ? 'sr-only' : ''}>{column.title}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} className="border-line border-b last:border-0">
                {columns.map((column) => (
                  <td key={column.title} className={`px-2 py-2.5 first:pl-4 last:pr-4 sm:px-4 ${shown(column)}`}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more}
    </div>
  );
}

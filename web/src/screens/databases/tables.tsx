import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { databaseQuery, schemaQuery } from '../../data/databases';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import { Grid } from '../../databases/grid';
import { keysOf, rowsSql } from '../../databases/sql-text';
import type { SchemaTable, Tables } from '../../databases/types';
import { pathTo } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Section } from '../../ui/page';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';

const PAGE = 50;
const COUNT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
}

const keyOf = ({ schema, name }: SchemaTable): string => `${schema}.${name}`;

/** Which table is open is in the address, so that a link shows the same. */
export function Screen({ org, database }: DatabaseParams): ReactNode {
  return (
    <DatabaseFrame org={org} database={database} open="databaseTables" needsReady>
      {({ id }) => <Tables org={org} database={id} />}
    </DatabaseFrame>
  );
}

function Tables({ org, database }: DatabaseParams): ReactNode {
  const schema = useQuery(schemaQuery(org, database));
  return (
    <Loaded query={schema} lines={6}>
      {(found) =>
        found.tables.length === 0 ? (
          <Empty
            icon="databases"
            title="No tables yet"
            action={<ButtonLink href={pathTo('databaseQuery', { org, database })}>Open the query editor</ButtonLink>}
          >
            Create tables with the migrations of your app, or in the query editor.
          </Empty>
        ) : (
          <Browser org={org} database={database} schema={found} />
        )
      }
    </Loaded>
  );
}

interface BrowserProps extends DatabaseParams {
  readonly schema: Tables;
}

function Browser({ org, database, schema }: BrowserProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const table = schema.tables.find((each) => keyOf(each) === search.get('table')) ?? schema.tables[0]!;
  const part = search.get('part') === 'columns' ? 'columns' : 'rows';
  const open = (key: string, wanted: 'rows' | 'columns'): void => {
    setSearch({ table: key, ...(wanted === 'columns' && { part: wanted }) }, { replace: true });
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[14rem_minmax(0,1fr)]">
      <label className="grid gap-1 font-medium lg:hidden">
        Table
        <select
          className="input font-normal"
          value={keyOf(table)}
          onChange={({ target }) => {
            open(target.value, part);
          }}
        >
          {schema.tables.map((each) => (
            <option key={keyOf(each)}>{keyOf(each)}</option>
          ))}
        </select>
      </label>
      <nav aria-label="Tables" className="card hidden max-h-[36rem] overflow-y-auto p-1 lg:block">
        {schema.tables.map((each) => (
          <button
            key={keyOf(each)}
            type="button"
            aria-current={each === table ? 'true' : undefined}
            className={`flex min-h-8 w-full items-center gap-2 rounded-sm px-2.5 text-left ${each === table ? 'bg-accent-soft text-accent-ink font-medium' : 'hover:bg-sunken'}`}
            onClick={() => {
              open(keyOf(each), part);
            }}
          >
            <span className="min-w-0 flex-1 truncate">
              {each.schema !== 'public' && <span className="text-muted">{each.schema}.</span>}
              {each.name}
            </span>
            {each.row_estimate !== null && (
              <span className="text-muted text-xs tabular-nums" title="Rows, estimated">
                {COUNT.format(Math.max(0, each.row_estimate))}
              </span>
            )}
          </button>
        ))}
        {schema.truncated && <p className="text-muted p-2 text-sm">There are more tables than are shown.</p>}
      </nav>
      <div className="min-w-0">
        <div className="mb-3 flex flex-wrap items-center gap-3">
          <h2 className="text-lg font-semibold break-all">{keyOf(table)}</h2>
          <span className="text-muted text-sm">{bytesOf(table.size_bytes)}</span>
          <div role="group" aria-label="Part" className="ml-auto flex gap-1">
            {(['rows', 'columns'] as const).map((each) => (
              <Button
                key={each}
                look={each === part ? 'plain' : 'quiet'}
                aria-pressed={each === part}
                onClick={() => {
                  open(keyOf(table), each);
                }}
              >
                {each === 'rows' ? 'Rows' : 'Columns'}
              </Button>
            ))}
          </div>
        </div>
        {part === 'rows' ? (
          <Rows key={keyOf(table)} org={org} database={database} table={table} />
        ) : (
          <Columns table={table} />
        )}
      </div>
    </div>
  );
}

interface RowsProps extends DatabaseParams {
  readonly table: SchemaTable;
}

const rowsQuery = (org: string, database: string, sql: string) =>
  queryOptions({
    queryKey: ['asked-databases', org, database, 'rows', sql],
    queryFn: ({ signal }) =>
      api.databases.query(
        database,
        { sql, access: 'read', timeout_ms: 15_000, max_rows: PAGE + 1 },
        { organization: org, signal },
      ),
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });

/** The page and the order are in the address. Without an order by the person, rows come by their primary key. */
function Rows({ org, database, table }: RowsProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const chosen = table.columns.find(({ name }) => name === search.get('order'))?.name;
  const descending = search.get('down') === '1';
  const page = Math.max(0, Math.trunc(Number(search.get('page') ?? 0)) || 0);
  const keys = keysOf(table);
  const sql = rowsSql({
    schema: table.schema,
    table: table.name,
    orderBy: chosen === undefined ? keys : [chosen, ...keys.filter((name) => name !== chosen)],
    descending,
    limit: PAGE + 1,
    offset: page * PAGE,
  });
  const rows = useQuery(rowsQuery(org, database, sql));
  const change = (set: Readonly<Record<string, string | undefined>>): void => {
    setSearch(
      (before) => {
        for (const [name, value] of Object.entries(set)) {
          if (value === undefined) before.delete(name);
          else before.set(name, value);
        }
        return before;
      },
      { replace: true },
    );
  };
  return (
    <Loaded query={rows} lines={6}>
      {({ columns, rows: found }) => (
        <>
          {found.length === 0 ? (
            <p className="text-muted">{page === 0 ? 'It has no rows.' : 'There are no more rows.'}</p>
          ) : (
            <div className={rows.isPlaceholderData ? 'opacity-60' : ''}>
              <Grid
                label={`Rows of ${keyOf(table)}`}
                columns={columns}
                rows={found.slice(0, PAGE)}
                first={page * PAGE + 1}
                order={{
                  by: chosen,
                  descending,
                  onOrder: (name) => {
                    change({ order: name, down: name === chosen && !descending ? '1' : undefined, page: undefined });
                  },
                }}
              />
            </div>
          )}
          <div className="mt-3 flex items-center gap-3">
            <Button
              disabled={page === 0}
              onClick={() => {
                change({ page: page === 1 ? undefined : String(page - 1) });
              }}
            >
              Previous
            </Button>
            <span className="text-muted text-sm tabular-nums" role="status">
              {found.length > 0 && `Rows ${page * PAGE + 1} to ${page * PAGE + Math.min(found.length, PAGE)}`}
            </span>
            <Button
              disabled={found.length <= PAGE}
              onClick={() => {
                change({ page: String(page + 1) });
              }}
            >
              Next
            </Button>
            <Button
              look="quiet"
              className="ml-auto"
              busy={rows.isFetching}
              onClick={() => {
                void rows.refetch();
              }}
            >
              Refresh
            </Button>
          </div>
        </>
      )}
    </Loaded>
  );
}

function Columns({ table }: Pick<RowsProps, 'table'>): ReactNode {
  const keys = keysOf(table);
  return (
    <>
      <div className="mb-6">
        <Table
          label={`Columns of ${keyOf(table)}`}
          rows={table.columns}
          keyOf={({ name }) => name}
          columns={[
            {
              title: 'Name',
              cell: ({ name }) => (
                <span className="inline-flex flex-wrap items-center gap-2 font-medium break-all">
                  {name}
                  {keys.includes(name) && <State tone="accent">Key</State>}
                </span>
              ),
            },
            { title: 'Type', cell: ({ type }) => <code className="font-mono text-xs">{type}</code> },
            { title: 'Null', cell: ({ nullable }) => (nullable ? 'Yes' : 'No') },
            {
              title: 'Default',
              wideOnly: true,
              cell: ({ default: value }) => (
                <code className="text-muted block max-w-56 truncate font-mono text-xs">{value ?? '–'}</code>
              ),
            },
          ]}
        />
      </div>
      <Section title="Indexes">
        {table.indexes.length === 0 ? (
          <p className="text-muted">None.</p>
        ) : (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
            {table.indexes.map(({ name, definition }) => (
              <CodeBlock key={name} text={definition} label={name} />
            ))}
          </div>
        )}
      </Section>
    </>
  );
}

import type { Database } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { databaseQuery, statsQuery } from '../../data/databases';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import type { Stats } from '../../databases/types';
import { Button } from '../../ui/button';
import { Figure } from '../../ui/figure';
import { Loaded } from '../../ui/loaded';
import { Section } from '../../ui/page';
import { Table } from '../../ui/table';
import { durationOf } from '../../ui/time';

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
}

export function Screen({ org, database: id }: DatabaseParams): ReactNode {
  return (
    <DatabaseFrame org={org} database={id} open="databaseStats" needsReady>
      {(database) => <Asked org={org} database={database} />}
    </DatabaseFrame>
  );
}

function Asked({ org, database }: { readonly org: string; readonly database: Database }): ReactNode {
  const stats = useQuery(statsQuery(org, database.id));
  return (
    <>
      <div className="mb-4 flex items-center justify-between gap-3">
        <p className="text-muted text-sm">As the database counts since it woke. Asking wakes it.</p>
        <Button busy={stats.isFetching} onClick={() => void stats.refetch()}>
          Refresh
        </Button>
      </div>
      <Loaded query={stats} lines={6}>
        {(found) => <Stats database={database} stats={found} />}
      </Loaded>
    </>
  );
}

function Stats({ database, stats }: { readonly database: Database; readonly stats: Stats }): ReactNode {
  const { connections, cache_hit_rate: hits, tables, slow_statements: statements } = stats;
  return (
    <>
      <dl className="mb-8 grid gap-3 sm:grid-cols-3">
        <Figure label="Size" value={bytesOf(database.size_bytes)}>
          of {bytesOf(database.quota_bytes)}
        </Figure>
        <Figure label="Connections" value={COUNT.format(connections)}>
          of {COUNT.format(database.connections.limit)}
        </Figure>
        <Figure label="Read from memory" value={hits === null ? '–' : SHARE.format(hits)}>
          of all blocks that queries needed
        </Figure>
      </dl>
      <Section title="Largest tables" hint="With their indexes. Rows are estimates.">
        {tables.length === 0 ? (
          <p className="text-muted">No tables yet.</p>
        ) : (
          <Table
            label="Tables by size"
            rows={tables}
            keyOf={({ schema, name }) => `${schema}.${name}`}
            columns={[
              {
                title: 'Table',
                cell: ({ schema, name }) => (
                  <span className="block max-w-48 truncate font-medium sm:max-w-md">
                    {schema === 'public' ? name : `${schema}.${name}`}
                  </span>
                ),
              },
              {
                title: 'Rows',
                numeric: true,
                cell: ({ row_estimate: rows }) => (rows === null || rows < 0 ? '–' : COUNT.format(rows)),
              },
              { title: 'Size', numeric: true, cell: ({ size_bytes: size }) => bytesOf(size) },
            ]}
          />
        )}
      </Section>
      <Section title="Statements that took the most time">
        {statements === null || statements.length === 0 ? (
          <p className="text-muted">None were counted.</p>
        ) : (
          <Table
            label="Statements"
            rows={statements.map((each, index) => ({ ...each, index }))}
            keyOf={({ index }) => String(index)}
            columns={[
              {
                title: 'Statement',
                cell: ({ statement }) => (
                  <code className="block max-w-48 font-mono text-xs break-words whitespace-pre-wrap sm:max-w-lg">
                    {statement.length > 300 ? `${statement.slice(0, 300)}…` : statement}
                  </code>
                ),
              },
              { title: 'Calls', numeric: true, cell: ({ calls }) => COUNT.format(calls) },
              { title: 'Mean', numeric: true, cell: ({ mean_ms: ms }) => time(ms) },
              { title: 'Total', numeric: true, wideOnly: true, cell: ({ total_ms: ms }) => time(ms) },
            ]}
          />
        )}
      </Section>
    </>
  );
}

const time = (ms: number): ReactNode => (
  <span className="whitespace-nowrap">{ms < 1 ? `${ms.toFixed(2)} ms` : durationOf(ms)}</span>
);

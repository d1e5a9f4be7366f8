import type { DatabaseResult } from '@service/client';
import { ServiceError } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { databaseQuery, refreshDatabases, schemaQuery } from '../../data/databases';
import { useMay } from '../../data/me';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import type { Grid as GridOfRows } from '../../databases/grid';
import { keepQuery, type PastQuery, useHistory } from '../../databases/query-history';
import { SqlEditor } from '../../databases/sql-editor';
import { indexAt, lineAt } from '../../databases/sql-text';
import type { OpenEditor } from '../../editor/code-mirror';
import { Button } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Icon } from '../../ui/icons';
import { Section } from '../../ui/page';
import { Skeleton } from '../../ui/skeleton';
import { State } from '../../ui/state';
import { Ago, Duration, durationOf } from '../../ui/time';

/** Fetched with the first query. */
const loadGrid = async (): Promise<{ default: typeof GridOfRows }> => ({
  default: (await import('../../databases/grid')).Grid,
});
const Grid = lazy(loadGrid);

const MAX_ROWS = 1_000;
const TIMEOUT_MS = 30_000;
const FIRST = 'SELECT now();';
/** `read_only_sql_transaction` of PostgreSQL. */
const READ_ONLY = '25006';

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
}

export function Screen({ org, database }: DatabaseParams): ReactNode {
  return (
    <DatabaseFrame org={org} database={database} open="databaseQuery" needsReady>
      {({ id, name }) => <Console org={org} database={id} name={name} />}
    </DatabaseFrame>
  );
}

type Outcome =
  | { readonly result: DatabaseResult }
  | { readonly error: unknown; readonly sql: string; readonly writes: boolean }
  | { readonly cancelled: true };

interface ConsoleProps extends DatabaseParams {
  readonly name: string;
}

function Console({ org, database, name }: ConsoleProps): ReactNode {
  const history = useHistory(database);
  const [sql, setSql] = useState(() => history.at(0)?.sql ?? FIRST);
  const [replacements, setReplacements] = useState(0);
  const [writes, setWrites] = useState(false);
  const [running, setRunning] = useState<{ readonly since: string; readonly stop: AbortController }>();
  const [outcome, setOutcome] = useState<Outcome>();
  const mayWrite = useMay(org, 'databases:write');
  const editor = useRef<OpenEditor>(undefined);
  // What is known already completes names while typing; nothing is woken for it.
  const schema = useQuery({ ...schemaQuery(org, database), enabled: false }).data;
  const names = [
    ...new Set(schema?.tables.flatMap((table) => [table.name, ...table.columns.map((each) => each.name)])),
  ];

  // Who leaves the page needs the answer no more.
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const run = async (): Promise<void> => {
    if (running !== undefined || sql.trim() === '') return;
    const mine = new AbortController();
    stop.current = mine;
    setRunning({ since: new Date().toISOString(), stop: mine });
    setOutcome(undefined);
    loadGrid().catch(ignore);
    const access = writes ? 'write' : 'read';
    try {
      const result = await api.databases.query(
        database,
        { sql, access, timeout_ms: TIMEOUT_MS, max_rows: MAX_ROWS },
        // A query that has changed something must not run twice.
        { organization: org, signal: mine.signal, timeoutMs: TIMEOUT_MS + 15_000, maxRetries: writes ? 0 : 2 },
      );
      setOutcome({ result });
      keepQuery(database, { sql, access, at: new Date().toISOString(), failed: false });
      if (writes) {
        void refreshDatabases(org);
        queries.removeQueries({ queryKey: schemaQuery(org, database).queryKey });
      }
    } catch (error) {
      if (mine.signal.aborted) setOutcome({ cancelled: true });
      else {
        setOutcome({ error, sql, writes });
        keepQuery(database, { sql, access, at: new Date().toISOString(), failed: true });
      }
    } finally {
      setRunning(undefined);
    }
  };
  const runByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void run();
  };
  return (
    <>
      <section aria-label="Query" className="grid gap-3" onKeyDown={runByKey}>
        <SqlEditor code={sql} names={names} replacements={replacements} handle={editor} onChange={setSql} />
        <div className="flex flex-wrap items-center gap-3">
          {mayWrite && (
            <label className="flex min-h-6 items-center gap-2">
              <input
                type="checkbox"
                role="switch"
                className="size-4 accent-[var(--accent)]"
                checked={writes}
                onChange={({ target }) => {
                  setWrites(target.checked);
                }}
              />
              Allow changes
            </label>
          )}
          <span className="text-muted mr-auto hidden text-sm sm:inline">
            <kbd className="kbd">Ctrl</kbd> <kbd className="kbd">Enter</kbd> runs it
          </span>
          {running !== undefined && (
            <>
              <span className="text-muted text-sm">
                <Duration from={running.since} />
              </span>
              <Button
                onClick={() => {
                  running.stop.abort();
                }}
              >
                <Icon name="stop" size={14} />
                Cancel
              </Button>
            </>
          )}
          <Button look={writes ? 'danger' : 'primary'} busy={running !== undefined} onClick={() => void run()}>
            <Icon name="play" size={14} />
            {writes ? 'Run with changes' : 'Run'}
          </Button>
        </div>
        {writes && (
          <p role="status" className="bg-warn-soft rounded-md p-3">
            <b className="text-warn">Changes happen at once, as the owner of {name}.</b> Before a large one, make a
            branch, and try it there. Restoring to a moment before it is possible, into a new database.
          </p>
        )}
      </section>
      <div className="mt-6 mb-8 grid grid-cols-[minmax(0,1fr)]" aria-live="polite">
        {outcome !== undefined && (
          <Shown
            outcome={outcome}
            onPosition={(position) => {
              editor.current?.moveTo(indexAt(sql, position));
            }}
          />
        )}
      </div>
      <History
        history={history}
        onOpen={(past) => {
          setSql(past.sql);
          setReplacements((count) => count + 1);
        }}
      />
    </>
  );
}

interface ShownProps {
  readonly outcome: Outcome;
  readonly onPosition: (position: number) => void;
}

function Shown({ outcome, onPosition }: ShownProps): ReactNode {
  if ('cancelled' in outcome) return <p className="text-muted">Cancelled.</p>;
  if ('error' in outcome) return <Failure {...outcome} onPosition={onPosition} />;
  return <Result result={outcome.result} />;
}

const COUNT = new Intl.NumberFormat('en');

function Result({ result }: { readonly result: DatabaseResult }): ReactNode {
  const { columns, rows, row_count: count, truncated, duration_ms: ms, command } = result;
  return (
    <section aria-label="Result" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="text-muted text-sm">
          {command}, {COUNT.format(count)} {count === 1 ? 'row' : 'rows'} in {durationOf(ms)}
        </p>
        {truncated && <State tone="warn">The first {COUNT.format(rows.length)} rows</State>}
        {rows.length > 0 && (
          <span className="ml-auto flex gap-2">
            {(['csv', 'json'] as const).map((as) => (
              <Button
                key={as}
                look="quiet"
                onClick={() => {
                  // Few people save what they see, so that the code for it is fetched then.
                  void import('../../databases/save-result').then(({ saveResult }) => {
                    saveResult(result, as);
                  });
                }}
              >
                {as.toUpperCase()}
              </Button>
            ))}
          </span>
        )}
      </div>
      {columns.length > 0 && rows.length > 0 && (
        <Suspense fallback={<Skeleton lines={4} />}>
          <Grid label="Rows" columns={columns} rows={rows} />
        </Suspense>
      )}
    </section>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly sql: string;
  readonly writes: boolean;
  readonly onPosition: (position: number) => void;
}

/** What PostgreSQL says, and the line that it means. */
function Failure({ error, sql, writes, onPosition }: FailureProps): ReactNode {
  const { sqlstate, position } = factsOf(error);
  const place = position === undefined ? undefined : lineAt(sql, position);
  return (
    <div className="grid gap-3">
      <ErrorNote error={error} />
      {place !== undefined && (
        <div
          className="bg-sunken border-line overflow-x-auto rounded-md border p-3"
          tabIndex={0}
          role="group"
          aria-label="Place of the error"
        >
          <pre className="font-mono text-sm">
            {place.text}
            {'\n'}
            {' '.repeat(place.column - 1)}
            <span className="text-bad" aria-hidden="true">
              ^
            </span>
          </pre>
        </div>
      )}
      {sqlstate === READ_ONLY && !writes && (
        <p>A query can change nothing until “Allow changes” is switched on, which takes the right to write.</p>
      )}
      <p className="text-muted flex flex-wrap items-center gap-x-4 text-sm empty:hidden">
        {sqlstate !== undefined && <span>SQLSTATE {sqlstate}</span>}
        {place !== undefined && (
          <button
            type="button"
            className="link min-h-6"
            onClick={() => {
              onPosition(position!);
            }}
          >
            Go to line {place.line}, column {place.column}
          </button>
        )}
      </p>
    </div>
  );
}

/** The details of `query_failed`. */
function factsOf(error: unknown): { readonly sqlstate?: string; readonly position?: number } {
  if (!(error instanceof ServiceError) || error.code !== 'query_failed') return {};
  const details = (error.details ?? {}) as { readonly sql_state?: unknown; readonly position?: unknown };
  return {
    ...(typeof details.sql_state === 'string' && { sqlstate: details.sql_state }),
    ...(typeof details.position === 'number' && details.position > 0 && { position: details.position }),
  };
}

interface HistoryProps {
  readonly history: readonly PastQuery[];
  readonly onOpen: (past: PastQuery) => void;
}

function History({ history, onOpen }: HistoryProps): ReactNode {
  if (history.length === 0) return null;
  return (
    <Section title="History" hint="Kept in this tab of the browser, and gone with it.">
      <ul className="card divide-line divide-y">
        {history.map((past, index) => (
          <li key={`${past.at}-${index}`} className="flex items-center gap-3 px-4 py-2">
            <code className="min-w-0 flex-1 truncate font-mono text-xs">{past.sql.replace(/\s+/g, ' ')}</code>
            {past.access === 'write' && <State tone="warn">Changes</State>}
            {past.failed && <State tone="bad">Failed</State>}
            <span className="text-muted text-sm whitespace-nowrap max-sm:hidden">
              <Ago at={past.at} />
            </span>
            <Button
              look="quiet"
              onClick={() => {
                onOpen(past);
              }}
            >
              Use<span className="sr-only"> this query</span>
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

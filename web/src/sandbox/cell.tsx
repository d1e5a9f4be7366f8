import { type KeyboardEvent, lazy, type ReactNode, type Ref, Suspense } from 'react';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { Icon } from '../ui/icons';
import { Skeleton } from '../ui/skeleton';
import { durationOf } from '../ui/time';
import type { Cell } from './notebooks';
import { RunState } from './run-state';
import { useCellRun } from './use-cell-run';

const Shown = lazy(async () => ({ default: (await import('./result')).Shown }));

interface CellProps {
  readonly org: string;
  readonly session: string;
  readonly cell: Cell;
  readonly number: number;
  /** Its runs keep the files that they leave in /artifacts. */
  readonly keepsFiles: boolean;
  /** The session has ended: what was run can be read. */
  readonly isOver: boolean;
  readonly field: Ref<HTMLTextAreaElement>;
  readonly onChange: (change: Partial<Cell>) => void;
  readonly onRemove: () => void;
  /** Goes on to the next cell, which is added where there is none. */
  readonly onNext: () => void;
}

const MIN_LINES = 2;
const MAX_LINES = 30;

/** Code of a notebook with what came of it. */
export function NotebookCell(props: CellProps): ReactNode {
  const { org, cell, number, isOver, field, onChange, onRemove, onNext } = props;
  const { run, live, isRunning, error, start, stop } = useCellRun(props, cell, (id) => {
    onChange({ run: id });
  });
  const canRun = !isOver && !isRunning && cell.code.trim() !== '';
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (canRun) start(cell.code);
    if (canRun && event.shiftKey) onNext();
  };
  return (
    <section aria-label={`Cell ${number}`} className="card grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3 p-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted font-mono text-sm">{cell.code.startsWith('!') ? '!' : `[${number}]`}</span>
        <span role="status">
          {isRunning ? <RunState status="running" /> : run !== undefined && <RunState status={run.status} />}
        </span>
        {run?.duration_ms !== undefined && (
          <span className="text-muted text-sm tabular-nums">
            {durationOf(run.duration_ms)}
            {(run.exit_code ?? 0) !== 0 && `, exit code ${run.exit_code}`}
          </span>
        )}
        <span className="ml-auto flex gap-2">
          {isRunning ? (
            <Button look="danger" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button
              disabled={!canRun}
              onClick={() => {
                start(cell.code);
              }}
            >
              <Icon name="play" size={14} />
              Run<span className="sr-only"> cell {number}</span>
            </Button>
          )}
          <Button look="quiet" className="!px-2" aria-label={`Remove cell ${number}`} onClick={onRemove}>
            <Icon name="close" size={14} />
          </Button>
        </span>
      </div>
      <textarea
        ref={field}
        aria-label={`Code of cell ${number}`}
        rows={Math.max(MIN_LINES, Math.min(MAX_LINES, cell.code.split('\n').length))}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        readOnly={isOver}
        className="input h-auto resize-y overflow-x-auto font-mono text-sm whitespace-pre"
        value={cell.code}
        onKeyDown={onKey}
        onChange={(event) => {
          onChange({ code: event.target.value });
        }}
      />
      {error !== undefined && <ErrorNote error={error} />}
      {isRunning && <Live {...live} />}
      {run?.state_lost === true && (
        <p className="bg-warn-soft text-warn rounded-md p-3">
          The interpreter was replaced: the variables of earlier cells are gone. Files remain.
        </p>
      )}
      {run !== undefined && (
        <Suspense fallback={<Skeleton lines={2} />}>
          <Shown org={org} run={run} live={live} />
        </Suspense>
      )}
    </section>
  );
}

/** What a cell has printed until now. */
function Live({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): ReactNode {
  if (stdout === '' && stderr === '') return null;
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label="Output until now"
      className="bg-sunken border-line max-h-72 overflow-auto rounded-md border p-3 font-mono text-sm break-words whitespace-pre-wrap"
    >
      {stdout}
      {stderr !== '' && <span className="text-bad">{stderr}</span>}
    </pre>
  );
}

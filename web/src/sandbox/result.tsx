import type { Run } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { api, queries } from '../api';
import { executionQuery, executionsQuery, isUnfinished } from '../data/executions';
import type { Output } from '../data/run-output';
import { bytesInWords } from '../ui/amounts';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { Skeleton } from '../ui/skeleton';
import { durationOf } from '../ui/time';
import { RunState } from './run-state';
import { useLiveOutput } from './use-live-output';

const Beside = lazy(async () => ({ default: (await import('./beside')).Beside }));

interface ResultProps {
  readonly org: string;
  readonly run: Run;
  /** Puts the program of the run into the editor, where this browser has kept it. */
  readonly onEdit: (() => void) | undefined;
}

/** How a run ended, what it printed and what it took. While it runs, what it has printed until now. */
export function Result({ org, run, onEdit }: ResultProps): ReactNode {
  const { id, status } = run;
  const live = useLiveOutput(org, run);
  const stop = useMutation({
    mutationFn: () => api.sandbox.cancel(id, { organization: org }),
    onSuccess: (stopped) => {
      queries.setQueryData(executionQuery(org, id).queryKey, stopped);
      void queries.invalidateQueries({ queryKey: executionsQuery(org).queryKey });
    },
  });
  const unfinished = isUnfinished(run);
  return (
    <>
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <span role="status">
          <RunState status={status} />
        </span>
        <span className="ml-auto flex gap-2">
          {unfinished && (
            <Button
              look="danger"
              busy={stop.isPending}
              onClick={() => {
                stop.mutate();
              }}
            >
              Stop
            </Button>
          )}
          {onEdit !== undefined && <Button onClick={onEdit}>Open its program</Button>}
        </span>
      </div>
      {stop.error !== null && <ErrorNote error={stop.error} />}
      <Shown org={org} run={run} live={live} />
      {!unfinished && <Facts run={run} />}
    </>
  );
}

interface ShownProps {
  readonly org: string;
  readonly run: Run;
  /** What it has printed until now, where it has not ended. */
  readonly live: Output;
}

/** What a run printed, shows and has left. */
export function Shown({ org, run, live }: ShownProps): ReactNode {
  const { error, truncated, results = [], artifacts } = run;
  const unfinished = isUnfinished(run);
  const { stdout = '', stderr = '' } = unfinished ? live : run;
  const isEmpty = stdout === '' && stderr === '' && results.length === 0;
  return (
    <>
      {error !== undefined && (
        <p className="bg-bad-soft rounded-md p-3 break-words">
          <span className="text-bad font-medium">{error.name}</span>
          {error.line === undefined ? '' : ` in line ${error.line}`}: {error.message}
        </p>
      )}
      {stdout !== '' && <Printed label="Output" text={stdout} cut={truncated?.stdout === true} />}
      {stderr !== '' && <Printed label="Errors" text={stderr} cut={truncated?.stderr === true} />}
      {!unfinished && isEmpty && <p className="text-muted">It printed nothing.</p>}
      {(results.length > 0 || artifacts !== undefined) && (
        <Suspense fallback={<Skeleton lines={2} />}>
          <Beside org={org} run={run} />
        </Suspense>
      )}
    </>
  );
}

interface PrintedProps {
  readonly label: string;
  readonly text: string;
  readonly cut: boolean;
}

function Printed({ label, text, cut }: PrintedProps): ReactNode {
  return (
    <div>
      <p aria-hidden="true" className="text-muted mb-1 text-xs font-medium">
        {label}
      </p>
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`bg-sunken border-line max-h-72 overflow-auto rounded-md border p-3 font-mono text-sm break-words whitespace-pre-wrap ${label === 'Errors' ? 'text-bad' : ''}`}
      >
        {text}
      </pre>
      {cut && <p className="text-muted mt-1 text-sm">The rest was cut off at the limit.</p>}
    </div>
  );
}

function Facts({ run }: { readonly run: Run }): ReactNode {
  const { duration_ms: duration, cpu_ms: cpu, memory_peak_bytes: memory, exit_code: exit, signal, cost, runtime } = run;
  const facts = [
    ['Duration', duration === undefined ? undefined : durationOf(duration)],
    ['Processor', cpu === undefined ? undefined : durationOf(cpu)],
    ['Memory', memory === undefined ? undefined : bytesInWords(memory)],
    signal == null ? ['Exit code', exit ?? undefined] : ['Signal', signal],
    ['Cost', cost === undefined ? undefined : `$${cost}`],
    ['Runtime', runtime === undefined ? undefined : `${runtime.name} ${runtime.version}`],
  ] as const;
  return (
    <dl className="border-line grid grid-cols-2 gap-x-4 gap-y-2 border-t pt-3 sm:grid-cols-3">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className="min-w-0">
              <dt className="text-muted text-xs">{name}</dt>
              <dd className="truncate">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

import type { Run } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, ignore, queries } from '../api';
import { executionQuery, executionsQuery } from '../data/executions';
import { NO_OUTPUT, type Output } from '../data/run-output';
import { refreshFiles, sessionQuery, workIn } from '../data/sandbox-sessions';
import type { Cell } from './notebooks';

interface CellRun {
  /** The last run of the cell, where the service still has it. */
  readonly run: Run | undefined;
  readonly live: Output;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly start: (text: string) => void;
  readonly stop: () => void;
}

interface CellPlace {
  readonly org: string;
  readonly session: string;
  readonly keepsFiles: boolean;
}

/** Runs a cell in its session. Whoever leaves the screen ends the run: the connection is that of who waits for it. */
export function useCellRun({ org, session, keepsFiles }: CellPlace, cell: Cell, onRun: (run: string) => void): CellRun {
  const [live, setLive] = useState(NO_OUTPUT);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<{ readonly abort: AbortController; id?: string }>(undefined);
  const kept = useQuery({ ...executionQuery(org, cell.run ?? ''), enabled: cell.run !== undefined && !isRunning });
  useEffect(
    () => () => {
      running.current?.abort.abort();
    },
    [],
  );

  const run = async (text: string): Promise<void> => {
    const mine: NonNullable<typeof running.current> = { abort: new AbortController() };
    running.current = mine;
    setIsRunning(true);
    setError(undefined);
    setLive(NO_OUTPUT);
    try {
      // It is not needed to show a notebook.
      const { streamRun } = await import('../data/run-stream');
      const ended = await streamRun(workIn(session, text, keepsFiles), org, mine.abort.signal, {
        onRun: ({ id }) => {
          mine.id = id;
        },
        onOutput: setLive,
      });
      queries.setQueryData(executionQuery(org, ended.id).queryKey, ended);
      onRun(ended.id);
    } catch (thrown) {
      if (!mine.abort.signal.aborted) setError(thrown);
    } finally {
      setIsRunning(false);
      running.current = undefined;
      void refreshFiles(session);
      void queries.invalidateQueries({ queryKey: sessionQuery(org, session).queryKey, exact: true });
      void queries.invalidateQueries({ queryKey: executionsQuery(org).queryKey });
    }
  };
  return {
    run: isRunning ? undefined : kept.data,
    live,
    isRunning,
    error,
    start: (text) => {
      if (running.current === undefined) void run(text);
    },
    stop: () => {
      const mine = running.current;
      if (mine === undefined) return;
      // What waits for its turn has a run, too. Without one, closing the connection is all that there is.
      if (mine.id === undefined) mine.abort.abort();
      else api.sandbox.cancel(mine.id, { organization: org }).catch(ignore);
    },
  };
}

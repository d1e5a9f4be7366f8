import type { Run } from '@service/client';
import { useEffect, useState } from 'react';
import { queries } from '../api';
import { executionQuery, executionsQuery, isUnfinished } from '../data/executions';
import { NO_OUTPUT, type Output } from '../data/run-output';
import { streamRun } from '../data/run-stream';

/**
 * What an unfinished run has printed until now. It is followed from its start, also by who opens it later. Where the
 * stream breaks, the end is still noticed, because an unfinished run is asked for again and again.
 */
export function useLiveOutput(org: string, run: Run): Output {
  const { id } = run;
  const [output, setOutput] = useState(NO_OUTPUT);
  const unfinished = isUnfinished(run);
  useEffect(() => {
    if (!unfinished) return;
    const stop = new AbortController();
    const path = `/api/v1/sandbox/executions/${encodeURIComponent(id)}/events`;
    streamRun({ method: 'GET', path }, org, stop.signal, { onOutput: setOutput }).then(
      (ended) => {
        const { queryKey } = executionQuery(org, id);
        // An answer that is under way is older.
        void queries.cancelQueries({ queryKey });
        queries.setQueryData(queryKey, ended);
        void queries.invalidateQueries({ queryKey: executionsQuery(org).queryKey });
      },
      // Said above.
      () => undefined,
    );
    return () => {
      stop.abort();
    };
  }, [org, id, unfinished]);
  return output;
}

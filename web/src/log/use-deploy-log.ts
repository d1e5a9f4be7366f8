import type { DeployLogLine } from '@service/client';
import { useEffect, useState } from 'react';
import { api, queries } from '../api';
import { deployQuery } from '../data/projects';

interface DeployLog {
  readonly lines: readonly DeployLogLine[];
  readonly error: unknown;
}

/**
 * The lines as they come, put into the page once a frame. The client takes the stream up again where it broke off. Each
 * new phase asks for the deploy again, whose state has changed then.
 */
export function useDeployLog(deploy: string): DeployLog {
  const [lines, setLines] = useState<readonly DeployLogLine[]>([]);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const abort = new AbortController();
    let waiting: DeployLogLine[] = [];
    let frame = 0;
    let phase = '';
    const put = (): void => {
      frame = 0;
      const more = waiting;
      waiting = [];
      setLines((old) => [...old, ...more]);
    };
    const refresh = (): void => {
      void queries.invalidateQueries({ queryKey: deployQuery(deploy).queryKey });
    };
    const read = async (): Promise<void> => {
      for await (const line of api.deploys.logs(deploy, { signal: abort.signal })) {
        waiting.push(line);
        frame ||= requestAnimationFrame(put);
        if (phase !== '' && line.phase !== phase) refresh();
        phase = line.phase;
      }
      refresh();
    };
    read().catch((thrown: unknown) => {
      if (!abort.signal.aborted) setError(thrown);
    });
    return () => {
      abort.abort();
      cancelAnimationFrame(frame);
      setLines([]);
      setError(undefined);
    };
  }, [deploy]);
  return { lines, error };
}

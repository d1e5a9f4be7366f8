import type { DeployLogLine } from '@service/client';
import { api, queries } from '../api';
import { deployQuery } from '../data/projects';
import { useLines } from './use-lines';

/** The log of a deploy. Each new phase asks for the deploy again, whose state has changed then. */
export function useDeployLog(deploy: string): { readonly lines: readonly DeployLogLine[]; readonly error: unknown } {
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: deployQuery(deploy).queryKey });
  };
  return useLines({
    streamKey: deploy,
    open: (signal) => api.deploys.logs(deploy, { signal }),
    onLine: (line, before) => {
      if (before !== undefined && line.phase !== before.phase) refresh();
    },
    onEnd: refresh,
  });
}

import { type OrgEvent, ServiceError } from '@service/client';
import { api, isSignedOut, queries } from '../api';
import { setLiveness } from './live';
import { askWhoCalls } from './me';

/** Events that come together are one reason to ask. */
const GATHER_MS = 150;
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** The first parts of the keys that an event makes stale, by the part of its type before the dot. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  deploy: ['projects', 'project', 'deploy'],
  execution: ['executions', 'execution'],
  invoice: ['billing', 'invoice'],
  spend: ['billing'],
  budget: ['billing'],
  webhook_endpoint: ['webhooks'],
  agent: ['agents'],
  run: ['runs', 'run', 'approvals', 'swarms'],
  approval: ['approvals'],
  schedule: ['schedules'],
  swarm: ['swarms'],
  database: ['databases'],
  bucket: ['storage'],
  storage: ['storage'],
};
const ALL = [...new Set(Object.values(STALE).flat())];

/**
 * Listens to the events of an organization, and asks again for what they change. It holds no stream while the page is
 * hidden: browsers allow few connections at once to a host, and all tabs share them. It returns how to stop.
 */
export function listenTo(org: string): () => void {
  const stale = new Set<string>();
  let gathering = 0;
  let waiting = 0;
  let failures = 0;
  let after: number | undefined;
  let stream: AbortController | undefined;

  const refresh = (names: readonly string[]): void => {
    for (const name of names) stale.add(name);
    gathering ||= window.setTimeout(() => {
      gathering = 0;
      const now = new Set(stale);
      stale.clear();
      void queries.invalidateQueries({
        // Settings and variables of a project do not change with its deploys.
        predicate: ({ queryKey: [name, , part] }) =>
          now.has(String(name)) && (name !== 'project' || part === undefined || part === 'deploys'),
      });
    }, GATHER_MS);
  };
  /** What happened meanwhile is asked for, and so begins or ends the polling. */
  const become = (isOpen: boolean): void => {
    setLiveness(isOpen ? 'live' : 'away');
    refresh(ALL);
  };
  const read = async (signal: AbortSignal): Promise<void> => {
    const onConnection = (isOpen: boolean): void => {
      if (!signal.aborted) become(isOpen);
    };
    for await (const event of api.orgs.events(org, { after, signal, onConnection })) {
      after = event.seq;
      failures = 0;
      refresh(staleBy(event));
    }
  };
  const open = (): void => {
    clearTimeout(waiting);
    if (document.hidden || stream !== undefined) return;
    const mine = new AbortController();
    stream = mine;
    read(mine.signal).catch((error: unknown) => {
      if (mine.signal.aborted) return;
      stream = undefined;
      become(false);
      // The session has ended elsewhere, or the organization is gone: the shell knows what to do then.
      if (isSignedOut(error) || isRefused(error)) askWhoCalls();
      else waiting = window.setTimeout(open, Math.min(PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS));
    });
  };
  const close = (): void => {
    clearTimeout(waiting);
    stream?.abort();
    stream = undefined;
    setLiveness('starting');
  };
  const onVisibility = (): void => {
    if (document.hidden) close();
    else open();
  };
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('online', open);
    clearTimeout(gathering);
    close();
  };
}

/** Types that are added later are unknown here, and change nothing. */
const staleBy = ({ type }: OrgEvent): readonly string[] => STALE[type.split('.', 1)[0]!] ?? [];

/** Asking again would not help. */
const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && (error.status === 403 || error.status === 404);

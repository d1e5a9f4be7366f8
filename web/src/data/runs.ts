import type { AgentRun, AgentRunsQuery, Approval } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { api, queries } from '../api';
import { fallbackPollMs } from './live';
import { pagedQuery } from './paged';

/** How often a list with active runs is asked for again, as not every change of a run is an event. */
const POLL_MS = 3_000;
/** How often it is looked for new approvals. */
const APPROVALS_MS = 10_000;

export const isOver = ({ state }: Pick<AgentRun, 'state'>): boolean =>
  !['queued', 'running', 'waiting'].includes(state);

type RunFilter = Pick<AgentRunsQuery, 'agent_id' | 'state' | 'swarm_id' | 'schedule_id' | 'parent_run_id'>;

export const runsQuery = (org: string, filter: RunFilter = {}, limit = 20) =>
  pagedQuery({
    queryKey: ['runs', org, JSON.stringify(filter), String(limit)],
    fetchPage: (cursor, signal) => api.runs.list({ cursor, limit, ...filter }, { organization: org, signal }),
    pollMs: (runs) => (runs.every(isOver) ? false : POLL_MS),
  });

export const runQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['run', org, run],
    queryFn: ({ signal }) => api.runs.get(run, { organization: org, signal }),
    refetchInterval: ({ state }) => fallbackPollMs(state.data !== undefined && !isOver(state.data)),
  });

export const stepsQuery = (org: string, run: string) =>
  pagedQuery({
    queryKey: ['run', org, run, 'steps'],
    fetchPage: (cursor, signal) => api.runs.steps(run, { cursor, limit: 100 }, { organization: org, signal }),
  });

export const approvalsQuery = (org: string, state: Approval['state'] | '' = '', run = '') =>
  pagedQuery({
    queryKey: ['approvals', org, state, run],
    fetchPage: (cursor, signal) =>
      api.approvals.list(
        { cursor, limit: 50, ...(state === '' ? {} : { state }), ...(run === '' ? {} : { run_id: run }) },
        { organization: org, signal },
      ),
    pollMs: () => (state === 'waiting' ? APPROVALS_MS : false),
  });

/** After a decision, an answer or a change of the budget. */
export async function refreshRun(org: string, run: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['run', org, run] }),
    queries.invalidateQueries({ queryKey: ['approvals', org] }),
    queries.invalidateQueries({ queryKey: ['runs', org] }),
  ]);
}

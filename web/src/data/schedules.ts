import { queryOptions } from '@tanstack/react-query';
import type { SchedulePreview } from '@service/client';
import { api, queries } from '../api';
import { pagedQuery } from './paged';

/** A schedule fires at most once a minute. */
const POLL_MS = 15_000;

export const schedulesQuery = (org: string) =>
  pagedQuery({
    queryKey: ['schedules', org],
    fetchPage: (cursor, signal) => api.schedules.list({ cursor, limit: 50 }, { organization: org, signal }),
    pollMs: (schedules) => (schedules.some(({ state }) => state === 'active') ? POLL_MS : false),
  });

export const scheduleQuery = (org: string, schedule: string) =>
  queryOptions({
    queryKey: ['schedules', org, schedule],
    queryFn: ({ signal }) => api.schedules.get(schedule, { organization: org, signal }),
  });

export const firesQuery = (org: string, schedule: string) =>
  pagedQuery({
    queryKey: ['schedules', org, schedule, 'fires'],
    fetchPage: (cursor, signal) => api.schedules.fires(schedule, { cursor, limit: 30 }, { organization: org, signal }),
    pollMs: () => POLL_MS,
  });

export const previewQuery = (org: string, preview: SchedulePreview) =>
  queryOptions({
    queryKey: ['preview', JSON.stringify(preview)],
    queryFn: ({ signal }) => api.schedules.preview({ ...preview, count: 5 }, { organization: org, signal }),
    staleTime: 30_000,
  });

export async function refreshSchedules(org: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['schedules', org] });
}

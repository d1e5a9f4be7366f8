import type { DatabaseAttachment } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { api, queries } from '../api';
import { isChanging } from '../databases/database-words';
import type { Stats, Tables } from '../databases/types';
import { pagedQuery } from './paged';

/** What is being made is ready in seconds. */
const SOON_MS = 1_500;
/** The activity and the size change without an event. */
const POLL_MS = 10_000;
/** How many databases a project's attachments are looked for in, and how many of them at once. */
const LOOKED_AT = 100;
const AT_ONCE = 5;

export const databasesQuery = (org: string) =>
  pagedQuery({
    queryKey: ['databases', org, 'list'],
    fetchPage: (cursor, signal) => api.databases.list({ cursor, limit: 50 }, { organization: org, signal }),
    pollMs: (rows) => (rows.some(isChanging) ? SOON_MS : POLL_MS),
  });

/** With those that were deleted and can be taken back. */
export const deletedDatabasesQuery = (org: string) =>
  pagedQuery({
    queryKey: ['databases', org, 'deleted'],
    fetchPage: (cursor, signal) =>
      api.databases.list({ cursor, limit: 50, include_deleted: true }, { organization: org, signal }),
  });

export const databaseQuery = (org: string, database: string) =>
  queryOptions({
    queryKey: ['databases', org, database],
    queryFn: ({ signal }) => api.databases.get(database, { organization: org, signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isChanging(state.data) ? SOON_MS : POLL_MS),
  });

export const credentialsQuery = (org: string, database: string) =>
  pagedQuery({
    queryKey: ['databases', org, database, 'credentials'],
    fetchPage: (cursor, signal) =>
      api.databases.credentials.list(database, { cursor, limit: 50 }, { organization: org, signal }),
  });

export const databaseAttachmentsQuery = (org: string, database: string) =>
  pagedQuery({
    queryKey: ['databases', org, database, 'attachments'],
    fetchPage: (cursor, signal) =>
      api.databases.attachments.list(database, { cursor, limit: 50 }, { organization: org, signal }),
  });

export const backupsQuery = (org: string, database: string) =>
  pagedQuery({
    queryKey: ['databases', org, database, 'backups'],
    fetchPage: (cursor, signal) =>
      api.databases.backups.list(database, { cursor, limit: 30 }, { organization: org, signal }),
    pollMs: (rows) => (rows.some(({ state }) => state === 'pending') ? SOON_MS : false),
  });

/** Asking wakes the database: neither events nor the return to the page ask again. */
export const schemaQuery = (org: string, database: string) =>
  queryOptions({
    queryKey: ['asked-databases', org, database, 'schema'],
    queryFn: async ({ signal }) =>
      (await api.databases.schema(database, { organization: org, signal })) as unknown as Tables,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

export const statsQuery = (org: string, database: string) =>
  queryOptions({
    queryKey: ['asked-databases', org, database, 'stats'],
    queryFn: async ({ signal }) =>
      (await api.databases.stats(database, { organization: org, signal })) as unknown as Stats,
    refetchOnWindowFocus: false,
  });

export interface AttachedDatabase extends DatabaseAttachment {
  readonly database_id: string;
  readonly name: string;
}

/** The databases of a project: the API lists attachments by database. */
export const attachedDatabasesQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['databases', org, 'attached', project],
    queryFn: async ({ signal }) => {
      const { data } = await api.databases.list({ limit: LOOKED_AT }, { organization: org, signal });
      const found: AttachedDatabase[] = [];
      for (let at = 0; at < data.length; at += AT_ONCE) {
        const pages = await Promise.all(
          data.slice(at, at + AT_ONCE).map(async ({ id, name }) => {
            const page = await api.databases.attachments.list(id, { limit: 100 }, { organization: org, signal });
            return page.data.map((attachment) => ({ ...attachment, database_id: id, name }));
          }),
        );
        found.push(...pages.flat().filter(({ project_id: each }) => each === project));
      }
      return found;
    },
  });

export async function refreshDatabases(org: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['databases', org] });
}

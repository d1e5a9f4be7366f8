import type { Call, NewSandboxSession, Page, SandboxSession, SandboxSessionFile } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, queries, request } from '../api';
import { pagedQuery } from './paged';

const PATH = '/api/v1/sandbox/sessions';
const pathOf = (session: string): string => `${PATH}/${encodeURIComponent(session)}`;
/** No event says that a session froze or ended. */
const POLL_MS = 2_000;
const LIST_POLL_MS = 5_000;

export const isLive = ({ status }: Pick<SandboxSession, 'status'>): boolean => status !== 'ended' && status !== 'lost';

export const sessionsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['sandbox-sessions', org],
    fetchPage: async (cursor, signal) =>
      (await answerOf(
        { method: 'GET', path: PATH, query: { cursor, limit: 20 } },
        { organization: org, signal },
      )) as Page<SandboxSession>,
    pollMs: (sessions) => (sessions.some(isLive) ? LIST_POLL_MS : false),
  });

export const sessionQuery = (org: string, session: string) =>
  queryOptions({
    queryKey: ['sandbox-session', session],
    queryFn: async ({ signal }) =>
      sessionIn(await answerOf({ method: 'GET', path: pathOf(session) }, { organization: org, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isLive(state.data) ? POLL_MS : false),
  });

/** Asking for files wakes a session, so that it is done when something may have changed, and not again and again. */
export const sessionFilesQuery = (org: string, session: string, path: string) =>
  queryOptions({
    queryKey: ['sandbox-session', session, 'files', path],
    queryFn: async ({ signal }) => {
      const call: Call = { method: 'GET', path: `${pathOf(session)}/files`, query: path === '' ? {} : { path } };
      const answer = (await answerOf(call, { organization: org, signal })) as {
        readonly data: readonly SandboxSessionFile[];
      };
      return answer.data;
    },
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

export const refreshFiles = (session: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['sandbox-session', session, 'files'] });

export async function createSession(org: string, body: NewSandboxSession): Promise<SandboxSession> {
  return keep(org, await answerOf({ method: 'POST', path: PATH, body }, { organization: org }));
}

export async function endSession(org: string, session: string): Promise<SandboxSession> {
  return keep(org, await answerOf({ method: 'DELETE', path: pathOf(session) }, { organization: org }));
}

/** The call that runs code, or the command of the shell that stands behind an exclamation mark. */
export function workIn(session: string, text: string, keepsFiles: boolean): Call {
  const [part, work] = text.startsWith('!') ? ['shell', { command: text.slice(1).trim() }] : ['runs', { code: text }];
  return {
    method: 'POST',
    path: `${pathOf(session)}/${part}`,
    body: { ...work, ...(keepsFiles ? { artifacts: true } : {}) },
  };
}

export async function readFile(org: string, session: string, path: string): Promise<Blob> {
  return (await request(fileCall('GET', session, path), { organization: org })).blob();
}

export async function writeFile(org: string, session: string, path: string, body: Blob): Promise<void> {
  await request({ ...fileCall('PUT', session, path), body }, { organization: org });
}

export async function removeFile(org: string, session: string, path: string): Promise<void> {
  await request(fileCall('DELETE', session, path), { organization: org });
}

const fileCall = (method: 'GET' | 'PUT' | 'DELETE', session: string, path: string): Call => ({
  method,
  path: `${pathOf(session)}/files/content`,
  query: { path },
});

const sessionIn = (answer: unknown): SandboxSession => (answer as { readonly data: SandboxSession }).data;

function keep(org: string, answer: unknown): SandboxSession {
  const session = sessionIn(answer);
  queries.setQueryData(sessionQuery(org, session.id).queryKey, session);
  void queries.invalidateQueries({ queryKey: sessionsQuery(org).queryKey });
  return session;
}

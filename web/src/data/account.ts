import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

export const sessionsQuery = pagedQuery({
  queryKey: ['sessions'],
  fetchPage: (cursor, signal) => api.auth.sessions({ cursor }, { signal }),
});

/** The address and the change of it that is in progress. Mails are read elsewhere, so it is asked again on each visit. */
export const emailQuery = queryOptions({
  queryKey: ['email'],
  queryFn: ({ signal }) => api.me.email({ signal }),
});

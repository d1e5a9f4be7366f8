import { api } from '../api';
import { pagedQuery } from './paged';

export const sessionsQuery = pagedQuery({
  queryKey: ['sessions'],
  fetchPage: (cursor, signal) => api.auth.sessions({ cursor }, { signal }),
});

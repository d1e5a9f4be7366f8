import { api } from '../api';
import { pagedQuery } from './paged';

export const keysQuery = (org: string) =>
  pagedQuery({
    queryKey: ['keys', org],
    fetchPage: (cursor, signal) => api.keys.list({ cursor, limit: 50 }, { organization: org, signal }),
  });

import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => api.auth.factors({ signal }),
});

import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

/** No event says that a message was delivered. */
const POLL_MS = 2_000;

export const webhooksQuery = (org: string) =>
  pagedQuery({
    queryKey: ['webhooks', org],
    fetchPage: (cursor, signal) => api.webhooks.list(org, { cursor }, { signal }),
  });

export const webhookQuery = (org: string, endpoint: string) =>
  queryOptions({
    queryKey: ['webhooks', org, endpoint],
    queryFn: ({ signal }) => api.webhooks.get(org, endpoint, { signal }),
  });

export const deliveriesQuery = (org: string, endpoint: string) =>
  pagedQuery({
    queryKey: ['webhooks', org, endpoint, 'deliveries'],
    fetchPage: (cursor, signal) => api.webhooks.deliveries(org, endpoint, { cursor }, { signal }),
    // What waits for a later attempt is not watched.
    pollMs: (deliveries) =>
      deliveries.some(({ state, attempts }) => state === 'pending' && attempts === 0) ? POLL_MS : false,
  });

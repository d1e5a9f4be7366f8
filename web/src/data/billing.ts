import { queryOptions } from '@tanstack/react-query';
import { api, queries } from '../api';
import { meQuery } from './me';
import { pagedQuery } from './paged';

const DAY_MS = 86_400_000;

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async ({ signal }) => (await api.billing.plans({ signal })).data,
  staleTime: 3_600_000,
});

export const subscriptionQuery = (org: string) =>
  queryOptions({
    queryKey: ['billing', org, 'subscription'],
    queryFn: ({ signal }) => api.billing.subscription({ organization: org, signal }),
  });

export const forecastQuery = (org: string) =>
  queryOptions({
    queryKey: ['billing', org, 'forecast'],
    queryFn: ({ signal }) => api.billing.forecast({ organization: org, signal }),
  });

export const spendCapQuery = (org: string) =>
  queryOptions({
    queryKey: ['billing', org, 'spend-cap'],
    queryFn: ({ signal }) => api.billing.spendCap({ organization: org, signal }),
  });

/** The usage of a month of the form `2026-11`, up to now where it is this month. */
const usageOf = (org: string, month: string, groups: readonly ('model' | 'project' | 'day')[]) =>
  queryOptions({
    queryKey: ['billing', org, 'usage', month, ...groups],
    queryFn: ({ signal }) =>
      api.billing.usage(
        { from: `${month}-01`, to: `${monthAfter(month)}-01`, group_by: groups },
        { organization: org, signal },
      ),
  });

export const usageByDayQuery = (org: string, month: string) => usageOf(org, month, ['day']);
export const usageByProjectQuery = (org: string, month: string) => usageOf(org, month, ['project', 'model']);

export const usageByModelQuery = (org: string, month: string) => usageOf(org, month, ['model', 'day']);

export const budgetsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['billing', org, 'budgets'],
    fetchPage: (cursor, signal) => api.billing.budgets({ cursor, limit: 50 }, { organization: org, signal }),
  });

export const upcomingInvoiceQuery = (org: string) =>
  queryOptions({
    queryKey: ['billing', org, 'upcoming'],
    queryFn: ({ signal }) => api.billing.upcomingInvoice({ organization: org, signal }),
  });

export const invoicesQuery = (org: string) =>
  pagedQuery({
    queryKey: ['billing', org, 'invoices'],
    fetchPage: (cursor, signal) => api.billing.invoices({ cursor, limit: 12 }, { organization: org, signal }),
  });

export const invoiceQuery = (invoice: string) =>
  queryOptions({
    queryKey: ['invoice', invoice],
    queryFn: ({ signal }) => api.billing.invoice(invoice, { signal }),
  });

/** After a change of the plan or of the cap: what it allows is shown in many places. */
export async function refreshBilling(org: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['billing', org] }),
    queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  ]);
}

/** The last months with the current one first, of the form `2026-11`. Months begin in UTC. */
export function lastMonths(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

/** Every day of a month, up to today. */
export function daysOf(month: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${month}-01`); at <= Date.now(); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (!day.startsWith(month)) break;
    days.push(day);
  }
  return days;
}

function monthAfter(month: string): string {
  const start = new Date(`${month}-01`);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)).toISOString().slice(0, 7);
}

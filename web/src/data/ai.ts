import { type GenerationsQuery, NotFoundError } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

/** They are the same for every organization. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => api.ai.models.list({ signal }),
  staleTime: 60_000,
});

/** Which generations are shown. */
export type GenerationFilter = Pick<GenerationsQuery, 'model' | 'outcome' | 'key_id' | 'project_id'>;

/** All queries for generations have keys that begin with this one. */
export const generationsKey = (org: string) => ['generations', org] as const;

export const generationsQuery = (org: string, filter: GenerationFilter = {}) => {
  const { model = '', outcome = '', key_id: key = '', project_id: project = '' } = filter;
  return pagedQuery({
    queryKey: [...generationsKey(org), model, outcome, key, project],
    fetchPage: (cursor, signal) =>
      api.ai.generations.list({ cursor, limit: 30, ...filter }, { organization: org, signal }),
  });
};

export const providersQuery = (org: string) =>
  queryOptions({
    queryKey: ['providers', org],
    queryFn: ({ signal }) => api.ai.providers.list({ organization: org, signal }),
  });

export const policyQuery = (org: string) =>
  queryOptions({
    queryKey: ['policy', org],
    queryFn: ({ signal }) => api.ai.policy.get({ organization: org, signal }),
  });

/** How often to ask again for a generation that is not there yet, and how long to wait in between. */
const RETRIES = 4;
const RETRY_MS = 500;

/** It exists once the generation has ended, which takes a moment after the answer was stopped. */
export const generationQuery = (org: string, generation: string) =>
  queryOptions({
    queryKey: ['generation', generation],
    queryFn: ({ signal }) => api.ai.generations.retrieve(generation, { organization: org, signal }),
    retry: (failures: number, error: Error) => error instanceof NotFoundError && failures < RETRIES,
    retryDelay: RETRY_MS,
    // What has ended does not change.
    staleTime: Infinity,
  });

export const contentQuery = (org: string, generation: string) =>
  queryOptions({
    queryKey: ['content', generation],
    queryFn: ({ signal }) => api.ai.generations.content(generation, { organization: org, signal }),
    staleTime: Infinity,
  });

const SETTLES_WITHIN_MS = [300, 700, 1_500, 3_000, 6_000];

/** The cost of an answer that was stopped, in US dollars; undefined when it is not known in time. */
export async function costOfStopped(org: string, generation: string): Promise<number | undefined> {
  for (const waitMs of SETTLES_WITHIN_MS) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    try {
      return Number((await api.ai.generations.retrieve(generation, { organization: org })).cost);
    } catch (error) {
      if (!(error instanceof NotFoundError)) return undefined;
    }
  }
  return undefined;
}

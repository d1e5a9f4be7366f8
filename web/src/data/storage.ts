import type { BucketAttachment, ObjectsPage } from '@service/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, queries } from '../api';
import { pagedQuery } from './paged';

/** How many buckets a project's attachments are looked for in, and how many of them at once. */
const LOOKED_AT = 100;
const AT_ONCE = 5;
const OBJECTS = 100;

export const bucketsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['storage', org, 'buckets'],
    fetchPage: (cursor, signal) => api.storage.buckets.list({ cursor, limit: 50 }, { organization: org, signal }),
  });

export const bucketQuery = (org: string, bucket: string) =>
  queryOptions({
    queryKey: ['storage', org, 'bucket', bucket],
    queryFn: ({ signal }) => api.storage.buckets.get(bucket, { organization: org, signal }),
  });

export const storageUsageQuery = (org: string) =>
  queryOptions({
    queryKey: ['storage', org, 'usage'],
    queryFn: ({ signal }) => api.storage.usage({ organization: org, signal }),
  });

/** The objects and folders below a prefix, page by page. */
export const objectsQuery = (org: string, bucket: string, prefix: string) =>
  infiniteQueryOptions({
    queryKey: ['storage', org, 'bucket', bucket, 'objects', prefix],
    queryFn: ({ signal, pageParam }) =>
      api.storage.objects.list(
        bucket,
        { prefix, delimiter: '/', cursor: pageParam, limit: OBJECTS },
        { organization: org, signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
  });

export const objectsOf = (pages: readonly { readonly data: ObjectsPage }[]): ObjectsPage => ({
  objects: pages.flatMap(({ data }) => data.objects),
  // A folder whose keys are on two pages is one folder.
  prefixes: [...new Set(pages.flatMap(({ data }) => data.prefixes))],
});

export const accessKeysQuery = (org: string) =>
  pagedQuery({
    queryKey: ['storage', org, 'access-keys'],
    fetchPage: (cursor, signal) => api.storage.accessKeys.list({ cursor, limit: 50 }, { organization: org, signal }),
  });

export const bucketAttachmentsQuery = (org: string, bucket: string) =>
  pagedQuery({
    queryKey: ['storage', org, 'bucket', bucket, 'attachments'],
    fetchPage: (cursor, signal) =>
      api.storage.attachments.list(bucket, { cursor, limit: 50 }, { organization: org, signal }),
  });

export interface AttachedBucket extends BucketAttachment {
  readonly bucket_id: string;
  readonly name: string;
}

/** The buckets of a project: the API lists attachments by bucket. */
export const attachedBucketsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['storage', org, 'attached', project],
    queryFn: async ({ signal }) => {
      const { data } = await api.storage.buckets.list({ limit: LOOKED_AT }, { organization: org, signal });
      const found: AttachedBucket[] = [];
      for (let at = 0; at < data.length; at += AT_ONCE) {
        const pages = await Promise.all(
          data.slice(at, at + AT_ONCE).map(async ({ id, name }) => {
            const page = await api.storage.attachments.list(id, { limit: 100 }, { organization: org, signal });
            return page.data.map((attachment) => ({ ...attachment, bucket_id: id, name }));
          }),
        );
        found.push(...pages.flat().filter(({ project_id: each }) => each === project));
      }
      return found;
    },
  });

export async function refreshStorage(org: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['storage', org] });
}

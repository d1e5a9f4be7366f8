import type { ObjectsPage, ObjectsQuery, Service, StoredObject } from '@service/client';

const PAGE = 100;

/** Yields the pages of a listing, one after the other. */
export async function* pagesOf(
  { storage }: Service,
  bucketId: string,
  query: ObjectsQuery,
): AsyncGenerator<ObjectsPage, void, undefined> {
  for (let cursor = query.cursor; ;) {
    const { data, meta } = await storage.objects.list(bucketId, { limit: PAGE, ...query, cursor });
    yield data;
    if (meta.has_more !== true || meta.next_cursor == null) return;
    cursor = meta.next_cursor;
  }
}

/** Yields all objects whose keys begin with `prefix`. */
export async function* objectsOf(
  service: Service,
  bucketId: string,
  prefix: string,
): AsyncGenerator<StoredObject, void, undefined> {
  for await (const { objects } of pagesOf(service, bucketId, { prefix })) yield* objects;
}

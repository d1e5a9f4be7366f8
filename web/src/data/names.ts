import type { Key } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { keysQuery } from './keys';
import { rowsOf } from './paged';
import { projectsQuery } from './projects';

/** The names of projects by their ids, of those that were fetched. */
export function useProjectNames(org: string): ReadonlyMap<string, string> {
  return new Map(rowsOf(useInfiniteQuery(projectsQuery(org)).data).map(({ id, name }) => [id, name]));
}

/** The keys by their ids, of those that were fetched and that the person may see. */
export function useKeys(org: string): ReadonlyMap<string, Key> {
  return new Map(rowsOf(useInfiniteQuery(keysQuery(org)).data).map((key) => [key.id, key]));
}

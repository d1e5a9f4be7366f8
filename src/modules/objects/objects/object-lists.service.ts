import { Injectable } from '@nestjs/common';
import { behindAll, compareKeys, justBehind } from '../domain/object-keys.js';
import { type ListStep, ObjectListsStore } from '../persistence/object-lists.store.js';

/** The largest page. */
export const MAX_LISTED = 1_000;

export interface ListRequest {
  readonly prefix: string;
  /** Empty for none. Keys that have it behind the prefix are listed as one. */
  readonly delimiter: string;
  /** Lists what is behind this key or common prefix. */
  readonly after: string;
  readonly limit: number;
}

export interface ListPage {
  readonly steps: readonly ListStep[];
  /** The `after` of the next page. Undefined on the last. */
  readonly next: string | undefined;
}

/** Lists objects in the order of the bytes of their keys. */
@Injectable()
export class ObjectListsService {
  constructor(private readonly lists: ObjectListsStore) {}

  async list(bucketId: string, { prefix, delimiter, after, limit }: ListRequest): Promise<ListPage> {
    // PostgreSQL cannot store NUL, so that no key has it.
    if (limit === 0 || prefix.includes('\0') || delimiter.includes('\0')) return { steps: [], next: undefined };
    const range = { from: startOf(prefix, delimiter, after.replaceAll('\0', '')), until: behindAll(prefix) };
    const steps =
      delimiter === ''
        ? await this.lists.plain(bucketId, range, limit + 1)
        : await this.lists.grouped(bucketId, range, limit + 1, { prefix, delimiter, behind: behindAll(delimiter)! });
    const page = steps.slice(0, limit);
    return { steps: page, next: steps.length > limit ? nameOf(page.at(-1)!) : undefined };
  }
}

/** Returns the first key to look at. What is in a common prefix that was listed is not looked at again. */
function startOf(prefix: string, delimiter: string, after: string): string {
  if (compareKeys(after, prefix) < 0) return prefix;
  const at = delimiter !== '' && after.startsWith(prefix) ? after.indexOf(delimiter, prefix.length) : -1;
  if (at === -1) return justBehind(after);
  return behindAll(after.slice(0, at + delimiter.length)) ?? justBehind(after);
}

const nameOf = (step: ListStep): string => ('object' in step ? step.object.key : step.prefix);

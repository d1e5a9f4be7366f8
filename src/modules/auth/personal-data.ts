import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../platform/database/page.js';
import type { Call } from './caller.js';

/** How many rows are in memory at a time. */
const PART = 100;

/** One kind of what the service keeps about a person, as the API shows it. */
export interface PersonalDataSource {
  /** The `type` of its lines in an export, such as `project`. */
  readonly type: string;

  /**
   * Reads all of it in parts of a bounded size. The call is that of the person in a session, and its organization is
   * the personal one.
   */
  read(call: Call): AsyncIterable<readonly object[]>;
}

/** A thing that is kept about a person. */
export interface PersonalDatum {
  readonly type: string;
  readonly data: object;
}

/** Collects what the modules keep about people. A module that keeps something registers a source at the start. */
@Injectable()
export class PersonalData {
  private readonly sources = new Map<string, PersonalDataSource>();

  add(source: PersonalDataSource): void {
    assert(!this.sources.has(source.type), `Two sources of personal data are called ${source.type}.`);
    this.sources.set(source.type, source);
  }

  /** Reads everything, one source after the other, in parts of a bounded size. */
  async *read(call: Call): AsyncGenerator<PersonalDatum[], undefined, undefined> {
    for (const [type, source] of [...this.sources].sort(([one], [other]) => (one < other ? -1 : 1)))
      for await (const part of source.read(call)) if (part.length > 0) yield part.map((data) => ({ type, data }));
  }
}

/** Reads a list to its end, page by page. */
export async function* allPages<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<readonly T[], undefined, undefined> {
  let after: string | undefined;
  do {
    const { items, next }: Page<T> = await list({ limit: PART, after });
    if (items.length > 0) yield items;
    after = next;
  } while (after !== undefined);
}

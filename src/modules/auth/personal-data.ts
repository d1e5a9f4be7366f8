import assert from 'node:assert/strict';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Page, PageRequest } from '../../platform/database/page.js';
import type { Call } from './caller.js';

/** How many rows are in memory at a time. */
const PART = 100;

/** One kind of what the service keeps about a person, as the API shows it. */
export interface PersonalDataSource {
  /**
   * Reads all of it in parts of a bounded size. The call is that of the person in a session, and its organization is
   * the personal one.
   */
  read(call: Call): AsyncIterable<readonly object[]>;
}

/**
 * Declares that the provider is a source of personal data, of which each thing is a line with this `type` in an export,
 * such as `project`. Nest's discovery finds it.
 */
export const ExportedAs = DiscoveryService.createDecorator<string>();

/** A thing that is kept about a person. */
export interface PersonalDatum {
  readonly type: string;
  readonly data: object;
}

/** Collects what the modules keep about people. */
@Injectable()
export class PersonalData implements OnApplicationBootstrap {
  private sources: readonly (readonly [string, PersonalDataSource])[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    this.sources = this.discovery
      .getProviders({ metadataKey: ExportedAs.KEY })
      .map((provider) => {
        const type = this.discovery.getMetadataByDecorator(ExportedAs, provider)!;
        return [type, provider.instance as PersonalDataSource] as const;
      })
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const types = this.sources.map(([type]) => type);
    assert.deepEqual([...new Set(types)], types, 'Two sources of personal data have the same type.');
  }

  /** Reads everything, one source after the other, in parts of a bounded size. */
  async *read(call: Call): AsyncGenerator<PersonalDatum[], undefined, undefined> {
    for (const [type, source] of this.sources)
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

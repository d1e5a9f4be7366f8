/** One page of a list, as the API returns it. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly meta: {
    readonly request_id: string;
    /** Pass it as `cursor` to get the next page; absent on the last page. */
    readonly next_cursor?: string | null;
    readonly has_more?: boolean;
  };
}

/** The page of a list to get. */
export interface ListQuery {
  /** Items on a page, 1 to 100. Default 20. */
  readonly limit?: number | undefined;
  /** `meta.next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * A list that is fetched on demand: `await` returns one page, and `for await` iterates over all items and fetches
 * further pages as needed. Nothing is sent before.
 */
export class Listing<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #fetchPage: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #start: string | undefined;
  #awaited: Promise<Page<T>> | undefined;

  /** The methods that list create it; you need not. */
  constructor(fetchPage: (cursor: string | undefined) => Promise<Page<T>>, start: string | undefined) {
    this.#fetchPage = fetchPage;
    this.#start = start;
  }

  then<A = Page<T>, B = never>(
    fulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // The promise is kept, because two awaits must not send two requests.
    this.#awaited ??= this.#fetchPage(this.#start);
    return this.#awaited.then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, rejected);
  }

  finally(settled?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(settled);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor = this.#start;
    for (;;) {
      const { data, meta } = await this.#fetchPage(cursor);
      yield* data;
      if (meta.has_more !== true || meta.next_cursor == null) return;
      cursor = meta.next_cursor;
    }
  }
}

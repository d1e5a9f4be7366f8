/**
 * The shape of every successful answer: `{ data, meta }`. The HTTP adapter adds `meta.request_id` as it writes the
 * answer, so that no handler has to know of it.
 */
export class Envelope<T> {
  constructor(
    readonly data: T,
    readonly meta: Readonly<Record<string, unknown>> = {},
    /** For a route whose answers differ in it; undefined: the one that the route declares. */
    readonly status?: number,
  ) {}
}

/**
 * The shape of every successful response: `{ data, meta }`. The HTTP adapter adds `meta.request_id` when it writes the
 * response, so that handlers need not.
 */
export class Envelope<T> {
  constructor(
    readonly data: T,
    readonly meta: Readonly<Record<string, unknown>> = {},
    /**
     * The status, for a route with several success statuses. When undefined, the status that the route declares is
     * sent.
     */
    readonly status?: number,
  ) {}
}

import { eventsOf } from './server-events.js';

/** What the service sends about a run beside its output. */
export interface Received {
  result?: object;
  error?: { readonly error: { readonly status: number } };
  end?: object;
}

/**
 * A `fetch` that asks for a run as a stream, prints the output of the program while it runs, and returns the result as
 * a response without a stream would have it. A refusal is passed on as it is.
 */
export const streamingFetch: typeof fetch = async (url, request) => {
  const headers = new Headers(request?.headers);
  headers.set('accept', 'text/event-stream');
  // A stream cannot be repeated, so that the service takes no key for it.
  headers.delete('idempotency-key');
  const response = await fetch(url, { ...request, headers });
  if (!response.ok || response.body === null) return response;

  const { result, error, end } = await printed(response.body);
  if (error !== undefined) return Response.json(error, { status: error.error.status, headers: plainHeaders(response) });
  if (result === undefined || end === undefined) throw new TypeError('The connection broke off before the result.');
  return Response.json({ data: result, meta: end }, { headers: plainHeaders(response) });
};

/** Prints what the program prints, and returns the rest. */
export async function printed(body: ReadableStream<Uint8Array>): Promise<Received> {
  const received: Received = {};
  for await (const { type, data } of eventsOf(body)) {
    const value = JSON.parse(data) as object;
    if (type === 'stdout') process.stdout.write((value as { readonly text: string }).text);
    else if (type === 'stderr') process.stderr.write((value as { readonly text: string }).text);
    else Object.assign(received, { [type]: value });
  }
  return received;
}

/** The headers of the stream, without its type. */
function plainHeaders({ headers }: Response): Headers {
  const plain = new Headers(headers);
  plain.delete('content-type');
  return plain;
}

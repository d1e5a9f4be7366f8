import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

const TIMEOUT_MS = 120_000;
/** Statuses whose answers have no body. */
const EMPTY = [204, 205, 304];

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` that reaches the API at another address than the one that it is called by, as the processes of this service
 * do: requests to `publicUrl` go to `apiUrl`, under the public host.
 */
export function ownFetch(publicUrl: string, apiUrl: URL): Fetch {
  const { host } = new URL(publicUrl);
  const request = apiUrl.protocol === 'https:' ? requestHttps : requestHttp;
  return (url, { method = 'GET', headers, body, signal } = {}) => {
    // Nothing is asked from the server beside calls, so that no stream has to stay open.
    if (method === 'GET') return Promise.resolve(new Response(null, { status: 405 }));
    const { pathname, search } = new URL(url);
    const target = new URL(apiUrl.pathname.replace(/\/$/, '') + pathname + search, apiUrl);
    return new Promise((resolve, reject) => {
      const sent = request(
        target,
        {
          method,
          headers: { ...Object.fromEntries(new Headers(headers)), host },
          timeout: TIMEOUT_MS,
          ...(signal == null ? {} : { signal }),
        },
        (answer) => {
          const { statusCode: status = 500 } = answer;
          const type = answer.headers['content-type'];
          answer.on('error', () => undefined);
          if (EMPTY.includes(status)) answer.resume();
          const stream = EMPTY.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream);
          resolve(
            new Response(stream, { status, ...(type === undefined ? {} : { headers: { 'content-type': type } }) }),
          );
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('The API did not answer in time.')));
      sent.on('error', reject);
      sent.end(typeof body === 'string' ? body : undefined);
    });
  };
}

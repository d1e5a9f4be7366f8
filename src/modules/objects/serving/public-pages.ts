import { type ServerResponse, STATUS_CODES } from 'node:http';

/** Answers with a status and nothing that a tenant chose. */
export function refusePublic(
  response: ServerResponse,
  status: 400 | 403 | 404 | 405 | 412 | 416 | 500 | 503,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const text = `${status} ${STATUS_CODES[status] ?? ''}\n`;
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

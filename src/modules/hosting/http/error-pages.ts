import type { ServerResponse } from 'node:http';

/** Why a request to an app got no answer of the app. The page tells as much as the visitor may know. */
export type Refusal = 'bad_request' | 'not_found' | 'page_not_found' | 'method_not_allowed' | 'app_failed' | 'app_unavailable' | 'app_timeout';

const PAGES: Readonly<Record<Refusal, { readonly status: number; readonly title: string; readonly text: string; readonly headers?: Readonly<Record<string, string>> }>> = {
  bad_request: { status: 400, title: 'Bad request', text: 'This address is not one that can be asked for.' },
  not_found: { status: 404, title: 'Nothing here', text: 'No app is deployed at this address.' },
  page_not_found: { status: 404, title: 'Page not found', text: 'This app has no such page.' },
  method_not_allowed: { status: 405, title: 'Method not allowed', text: 'This page can only be read.', headers: { Allow: 'GET, HEAD' } },
  app_failed: { status: 502, title: 'The app failed', text: 'The app closed the connection, or did not start. Its owner finds the reason in its logs.' },
  app_unavailable: { status: 503, title: 'Try again soon', text: 'The app cannot be started at the moment.', headers: { 'Retry-After': '5' } },
  app_timeout: { status: 504, title: 'The app takes too long', text: 'The app did not answer in time.' },
};

/** Answers for the app, as long as it has not begun to answer itself. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, title, text, headers = {} } = PAGES[refusal];
  const page = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status} ${title}</title>`
    + `<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color:#222}h1{font-size:1.5rem}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}</style>`
    + `<h1>${title}</h1><p>${text}</p><p><small>${status} ${refusal}</small></p>\n`;
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(page), 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'", ...headers,
  });
  response.end(page);
}

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { RefusalBody } from '../../../platform/http/guard-listener.js';

/** The reason why the platform answers in place of an app. The page says only what the visitor may know. */
export type Refusal =
  | 'bad_request'
  | 'protected'
  | 'not_found'
  | 'page_not_found'
  | 'method_not_allowed'
  | 'app_failed'
  | 'app_unavailable'
  | 'app_places_taken'
  | 'app_timeout'
  | 'uri_too_long'
  | 'request_too_complex';

const PAGES: Readonly<
  Record<
    Refusal,
    {
      readonly status: number;
      readonly title: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  >
> = {
  bad_request: { status: 400, title: 'Bad request', text: 'The address of this request is invalid.' },
  protected: {
    status: 401,
    title: 'This deploy is protected',
    text: 'Open the page of the app first, or ask its owner for a link.',
    headers: { 'WWW-Authenticate': 'Form' },
  },
  not_found: { status: 404, title: 'Nothing here', text: 'No app is deployed at this address.' },
  page_not_found: { status: 404, title: 'Page not found', text: 'This app has no page at this address.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    text: 'This page only supports GET and HEAD requests.',
    headers: { Allow: 'GET, HEAD' },
  },
  uri_too_long: {
    status: 414,
    title: 'Address too long',
    text: 'The path of an address can have at most 2,048 characters.',
  },
  request_too_complex: {
    status: 400,
    title: 'Bad request',
    text: 'This request takes too long to match the routing rules of the app. Its owner can simplify the expressions.',
  },
  app_failed: {
    status: 502,
    title: 'The app failed',
    text: 'The app closed the connection or did not start. Its owner can find the reason in the logs.',
  },
  app_unavailable: {
    status: 503,
    title: 'Try again soon',
    text: 'The app cannot be started right now.',
    headers: { 'Retry-After': '5' },
  },
  app_places_taken: {
    status: 503,
    title: 'Try again soon',
    text: "The owner of this app has reached the plan's limit of running apps.",
    headers: { 'Retry-After': '30' },
  },
  app_timeout: { status: 504, title: 'The app took too long', text: 'The app did not answer in time.' },
};

/** What every page of the platform on the hosts of apps has. Names and values alternate. */
export const PAGE_HEADERS: readonly string[] = [
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  'Content-Security-Policy',
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

/** Answers in place of the app. The app must not have started to answer. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, title, text, headers = {} } = PAGES[refusal];
  const page = pageWith(title, text, `${status} ${refusal}`);
  for (let index = 0; index < PAGE_HEADERS.length; index += 2)
    response.setHeader(PAGE_HEADERS[index]!, PAGE_HEADERS[index + 1]!);
  response.writeHead(status, {
    'Content-Type': CONTENT_TYPE,
    'Content-Length': Buffer.byteLength(page),
    ...headers,
  });
  response.end(page);
}

/** Renders the page for a request that the listener refused. */
export function pageOf(status: number): RefusalBody {
  const refusal = status === 405 ? 'method_not_allowed' : 'bad_request';
  const title = STATUS_CODES[status] ?? PAGES.bad_request.title;
  return {
    contentType: CONTENT_TYPE,
    text: pageWith(title, 'The request is invalid or cannot be accepted.', `${status} ${refusal}`),
  };
}

const CONTENT_TYPE = 'text/html; charset=utf-8';
const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color:#222}' +
  'h1{font-size:1.5rem}' +
  '@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}';

/** Renders a small page. `form` is HTML; the other texts are the platform's own and contain none. */
export function pageWith(title: string, text: string, fact: string, form = ''): string {
  return (
    '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${fact.slice(0, 3)} ${title}</title><style>${STYLE}</style>` +
    `<h1>${title}</h1><p>${text}</p>${form}<p><small>${fact}</small></p>\n`
  );
}

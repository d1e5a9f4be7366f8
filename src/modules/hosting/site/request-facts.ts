import type { IncomingHttpHeaders } from 'node:http';
import { MatchBudget } from './match-budget.js';

/** No browser sends more cookies than this for one site. */
const MOST_COOKIES = 256;

/** The parts of a request that rules read. Cookies and query are parsed once, when a rule first needs them. */
export class RequestFacts {
  readonly budget = new MatchBudget();
  private parameters: URLSearchParams | undefined;
  private cookies: ReadonlyMap<string, string> | undefined;

  /** @param query includes the `?`, or is empty. */
  constructor(
    readonly host: string,
    readonly query: string,
    private readonly headers: IncomingHttpHeaders,
    /** True for GET and HEAD, which files answer. */
    readonly isRead = true,
  ) {}

  /** True when a browser opens a page, or the caller does not say what it does. */
  get isNavigation(): boolean {
    const mode = this.headers['sec-fetch-mode'];
    if (mode !== undefined) return mode === 'navigate';
    const { accept } = this.headers;
    return accept === undefined || /text\/html|\*\/\*/.test(accept);
  }

  parameter(name: string): string | undefined {
    this.parameters ??= new URLSearchParams(this.query);
    return this.parameters.get(name) ?? undefined;
  }

  header(lowerCaseName: string): string | undefined {
    return this.headers[lowerCaseName]?.toString();
  }

  cookie(name: string): string | undefined {
    this.cookies ??= cookiesOf(this.headers.cookie ?? '');
    return this.cookies.get(name);
  }
}

/** The first of several values with one name counts. */
function cookiesOf(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';', MOST_COOKIES)) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    if (equals > 0 && !cookies.has(name)) cookies.set(name, pair.slice(equals + 1));
  }
  return cookies;
}

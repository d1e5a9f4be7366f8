import type { IncomingMessage } from 'node:http';
import type { AppGuard } from '../protection/app-guard.js';
import { ACCESS_HEADER, ACCESS_PARAMETER } from '../protections.service.js';

/** The form of a protected host is sent here. The path is taken only on hosts that are protected. */
export const ACCESS_PATH = '/_service/access';

const COOKIE = 'service_access';
const MAX_TOKEN = 200;
/** An app below the same domain can set cookies of this name for its neighbors, so one of several may be ours. */
const MAX_COOKIES = 5;
const PARAMETER = new RegExp(`[?&]${ACCESS_PARAMETER}=([^&#]*)`);
const MAX_TARGET = 2_048;

/** A protected host, as a request has named it. */
export interface GuardedPlace {
  /** The label of the app, or the whole host where it is a customer's. */
  readonly label: string;
  readonly guard: AppGuard;
}

/** What a request shows to be let in. */
export class Credentials {
  readonly cookies: readonly string[];
  readonly header: string | undefined;
  private readonly name: string;

  constructor(
    private readonly request: IncomingMessage,
    isSecure: boolean,
  ) {
    this.name = Credentials.cookieName(isSecure);
    this.cookies = pairsOf(request.headers.cookie)
      .filter(([name, value]) => name === this.name && value.length <= MAX_TOKEN)
      .slice(0, MAX_COOKIES)
      .map(([, value]) => value);
    const header = request.headers[ACCESS_HEADER];
    this.header = typeof header === 'string' && header.length <= MAX_TOKEN ? header : undefined;
  }

  /** With `__Host-` browsers accept the cookie only over HTTPS, and from no other host. */
  static cookieName(isSecure: boolean): string {
    return isSecure ? `__Host-${COOKIE}` : COOKIE;
  }

  /** Returns the token in the query of a target. */
  static linkOf(url: string): string | undefined {
    const token = url.includes(ACCESS_PARAMETER) ? PARAMETER.exec(url)?.[1] : undefined;
    return token === undefined || token.length > MAX_TOKEN ? undefined : token;
  }

  /** Removes them from the request, so that the app, its log and its error reports never see what opens its host. */
  remove(): void {
    const { headers, rawHeaders } = this.request;
    const kept: string[] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!;
      const value = rawHeaders[index + 1]!;
      const lowerCase = name.toLowerCase().replaceAll('_', '-');
      if (lowerCase === ACCESS_HEADER) continue;
      const cookies = lowerCase === 'cookie' ? this.others(value) : value;
      if (cookies !== '') kept.push(name, cookies);
    }
    rawHeaders.splice(0, rawHeaders.length, ...kept);
    Reflect.deleteProperty(headers, ACCESS_HEADER);
    if (headers.cookie === undefined) return;
    const others = this.others(headers.cookie);
    if (others === '') delete headers.cookie;
    else headers.cookie = others;
  }

  private others(cookies: string): string {
    return cookies
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== '' && pair.split('=', 1)[0]!.trim() !== this.name)
      .join('; ');
  }
}

/** Returns the target without the token, on the same host. */
export function withoutToken(url: string): string {
  const [target = '/'] = url.split('#', 1);
  const [path = '/', ...query] = target.split('?');
  const rest = query
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith(`${ACCESS_PARAMETER}=`))
    .join('&');
  return localTarget(rest === '' ? path : `${path}?${rest}`);
}

/** Returns the target if a redirect to it stays on the host, else the start page. */
export function localTarget(text: string): string {
  if (text.length > MAX_TARGET || !/^\/[\x21-\x7e]*$/.test(text)) return '/';
  // Browsers take `//host` and `/\host` for another host.
  const local = text.replace(/^[/\\]+/, '/');
  return local.startsWith(ACCESS_PATH) ? '/' : local;
}

function pairsOf(cookies: string | undefined): (readonly [string, string])[] {
  if (cookies === undefined) return [];
  return cookies.split(';').map((pair) => {
    const at = pair.indexOf('=');
    return at === -1 ? (['', ''] as const) : ([pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const);
  });
}

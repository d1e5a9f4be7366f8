import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { CrossSiteRequest, SessionBesideKey, SessionInvalid, SeveralSessionCookies } from './auth.errors.js';
import { tokenKindOf } from './token-format.js';

export const SESSION_HEADER = 'x-service-session';
/** The value of {@link SESSION_HEADER} that a page of this service sends. */
export const IN_COOKIE = 'cookie';

const LIFETIME_SECONDS = 30 * 86_400;
const READS = new Set(['GET', 'HEAD']);

/** The parts of a request and of its response that matter here. */
interface CookieRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & { readonly cookie?: string | undefined };
}
interface CookieResponse {
  setHeader(name: string, value: string): unknown;
}

/**
 * The cookie that holds the session of a page of this service (decision 0067). Scripts cannot read it. It counts only
 * together with a header that a form cannot send, and only for calls that the browser makes for a page of this origin:
 * apps of tenants may be siblings of this host, so the same site is not enough.
 */
@Injectable()
export class SessionCookie {
  private readonly name: string;
  private readonly attributes: string;
  private readonly origin: string;

  constructor({ publicUrl }: Config) {
    const { origin, protocol } = new URL(publicUrl);
    const isSecure = protocol === 'https:';
    this.origin = origin;
    // Browsers accept the prefix only from this host itself, and only over TLS.
    this.name = isSecure ? '__Host-svc_web' : 'svc_web';
    this.attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** True when the caller asks to sign in, or to be identified, by the cookie. */
  isUsedBy({ headers }: CookieRequest): boolean {
    return headers[SESSION_HEADER] === IN_COOKIE;
  }

  /**
   * Returns the token of a call by cookie, or undefined without a cookie.
   *
   * @throws {SessionBesideKey} `conflicting_credentials`
   * @throws {SeveralSessionCookies} `conflicting_credentials`: another host may have set one of them.
   * @throws {CrossSiteRequest} `cross_site_request`
   * @throws {SessionInvalid} `invalid_session`: the cookie holds anything else.
   */
  tokenOf(request: CookieRequest): string | undefined {
    const { headers } = request;
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) throw new SessionBesideKey();
    this.requireSameOrigin(request);
    const token = this.valueIn(headers.cookie ?? '');
    if (token !== undefined && tokenKindOf(token) !== 'web') throw new SessionInvalid();
    return token;
  }

  /**
   * Returns the token in the cookies of a browser that opens a page, or undefined without one. It proves who has signed
   * in, and not who wants the request.
   *
   * @throws {SeveralSessionCookies} `conflicting_credentials`: another host may have set one of them.
   */
  tokenAmong(cookies: string): string | undefined {
    const token = this.valueIn(cookies);
    return token !== undefined && tokenKindOf(token) === 'web' ? token : undefined;
  }

  /**
   * Requires a call that a page of this origin makes. Browsers say so in `Sec-Fetch-Site`, which no script can set.
   * Where they send it to no host, because the host has no TLS, they still name the origin of every write.
   *
   * * @throws {CrossSiteRequest} `cross_site_request`
   */
  requireSameOrigin({ method, headers }: CookieRequest): void {
    const site = headers['sec-fetch-site'];
    const { origin } = headers;
    const isOwn =
      site === undefined
        ? origin === this.origin || (origin === undefined && READS.has(method))
        : site === 'same-origin';
    if (!isOwn) throw new CrossSiteRequest();
  }

  set(response: CookieResponse, token: string): void {
    response.setHeader('Set-Cookie', `${this.name}=${token}${this.attributes}; Max-Age=${LIFETIME_SECONDS}`);
  }

  clear(response: CookieResponse): void {
    response.setHeader('Set-Cookie', `${this.name}=${this.attributes}; Max-Age=0`);
  }

  /** Splits the header instead of matching it as a whole, because a caller can choose all 16 KiB of it. */
  private valueIn(cookies: string): string | undefined {
    const prefix = `${this.name}=`;
    const values = new Set(
      cookies
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(prefix))
        .map((pair) => pair.slice(prefix.length)),
    );
    if (values.size > 1) throw new SeveralSessionCookies(this.name);
    const [value] = values;
    return value === '' ? undefined : value;
  }
}

import type { Request } from 'express';
import { ConflictingCredentials, SessionTokenNotAllowed } from '../auth.errors.js';

/** The credential that a request carries. */
export type SentCredential =
  | { readonly kind: 'none' }
  /** A login cookie, which the API does not accept. */
  | { readonly kind: 'cookie' }
  | { readonly kind: 'token'; readonly token: string };

const BEARER = /^Bearer +(\S+) *$/i;
const LOGIN_COOKIE_NAME = /sess|auth|token|sid|jwt|svc_web/i;

/** Returns the password of HTTP Basic (RFC 7617) as a token, or undefined without such a header. */
export function passwordOf({ headers }: Request): SentCredential | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const token = text.slice(text.indexOf(':') + 1);
  return token === '' ? { kind: 'none' } : tokenOutsideCookie(token);
}

/**
 * Returns what the headers of the caller carry, without a session in a cookie.
 *
 * @throws {ConflictingCredentials} `conflicting_credentials`: the two headers differ.
 * @throws {SessionTokenNotAllowed} `session_token_not_allowed`: the token of a cookie is in a header.
 */
export function credentialOf({ headers }: Request): SentCredential {
  const { authorization } = headers;
  const alias = headers['x-api-key'];
  // An unknown scheme is read as a malformed token, and refused as one.
  const bearer = authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? authorization);
  const apiKey = typeof alias === 'string' ? alias.trim() : undefined;
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) throw new ConflictingCredentials();

  const token = bearer ?? apiKey;
  if (token !== undefined && token !== '') return tokenOutsideCookie(token);
  return headers.cookie !== undefined && hasLoginCookie(headers.cookie) ? { kind: 'cookie' } : { kind: 'none' };
}

/** A token that was made for a cookie is bound to it: outside of it, a script has read it. */
function tokenOutsideCookie(token: string): SentCredential {
  if (token.startsWith('svc_web_')) throw new SessionTokenNotAllowed();
  return { kind: 'token', token };
}

/** Splits the header instead of matching it as a whole, because a caller can choose all 16 KiB of it. */
function hasLoginCookie(cookies: string): boolean {
  return cookies
    .split(';')
    .some((pair) => pair.includes('=') && LOGIN_COOKIE_NAME.test(pair.slice(0, pair.indexOf('='))));
}

/** True for three parts in base64url, the first of which begins like a JSON object. */
export const isJwt = (token: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token);

import type { Request } from 'express';
import { ConflictingCredentials } from '../auth.errors.js';

/** What a call carries to say who it is from. */
export type ShownCredential =
  | { readonly kind: 'none' }
  /** A cookie of some login, which is no credential here. */
  | { readonly kind: 'cookie' }
  | { readonly kind: 'token'; readonly token: string };

const BEARER = /^Bearer +(\S+) *$/i;
const LOGIN_COOKIE_NAME = /sess|auth|token|sid|jwt/i;

/** The password of HTTP Basic (RFC 7617) as a token; undefined where none is shown in that way. */
export function passwordOf({ headers }: Request): ShownCredential | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const token = text.slice(text.indexOf(':') + 1);
  return token === '' ? { kind: 'none' } : { kind: 'token', token };
}

/** @throws {ConflictingCredentials} `conflicting_credentials`: two headers that do not agree. */
export function credentialOf({ headers }: Request): ShownCredential {
  const { authorization } = headers;
  const alias = headers['x-api-key'];
  // A scheme that we do not speak is read as a token of no form, and refused as one.
  const bearer = authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? authorization);
  const apiKey = typeof alias === 'string' ? alias.trim() : undefined;
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) throw new ConflictingCredentials();

  const token = bearer ?? apiKey;
  if (token !== undefined && token !== '') return { kind: 'token', token };
  return headers.cookie !== undefined && hasLoginCookie(headers.cookie) ? { kind: 'cookie' } : { kind: 'none' };
}

/** Takes the header apart instead of matching it as one: a caller chooses all 16 KiB of it. */
function hasLoginCookie(cookies: string): boolean {
  return cookies
    .split(';')
    .some((pair) => pair.includes('=') && LOGIN_COOKIE_NAME.test(pair.slice(0, pair.indexOf('='))));
}

/** Three parts in base64url, the first of which begins like a JSON object: a token of some other service. */
export const isJwt = (token: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token);

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { RandomBytes } from '../../../platform/ids/random-bytes.js';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;
const LIFETIME_SECONDS = 900;

/**
 * Proves that a form was filled in on the page of this service, in the browser that it was sent to. The secret is in a
 * cookie that no other site can set or send; the form has a value that is derived from it for one request and person.
 * Each request has a cookie of its own, so that pages which a browser loads at the same time do not replace that of
 * another.
 */
@Injectable()
export class FormTokens {
  private readonly random = new RandomBytes();
  private readonly prefix: string;
  private readonly attributes: string;

  constructor({ publicUrl }: Config) {
    const isSecure = publicUrl.startsWith('https:');
    // Browsers accept the prefix only from this host itself, over TLS and for the whole host.
    this.prefix = isSecure ? '__Host-oauth_form_' : 'oauth_form_';
    this.attributes = `; Path=/; HttpOnly; SameSite=Strict; Max-Age=${LIFETIME_SECONDS}${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the secret of this browser for a request of a client, or undefined when it sends none, or several. */
  secretIn(cookies: string | undefined, requestId: string): string | undefined {
    const prefix = `${this.prefix}${requestId}=`;
    const values = (cookies ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
    const [value, ...others] = values;
    return value !== undefined && others.length === 0 && SECRET.test(value) ? value : undefined;
  }

  createSecret(): string {
    return this.random.take(SECRET_BYTES).toString('base64url');
  }

  cookieOf(secret: string, requestId: string): string {
    return `${this.prefix}${requestId}=${secret}${this.attributes}`;
  }

  /** @param subject the request, and the session of the person who answers it. */
  of(secret: string, subject: string): string {
    return createHmac('sha256', secret).update(subject).digest('base64url');
  }

  fits(secret: string | undefined, subject: string, token: string): boolean {
    if (secret === undefined) return false;
    const expected = Buffer.from(this.of(secret, subject));
    const sent = Buffer.from(token);
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  }
}

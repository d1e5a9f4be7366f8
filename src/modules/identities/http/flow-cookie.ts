import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';

const LIFETIME_SECONDS = 600;
const FORM = /^svc_flow_[0-9A-Za-z]{39}$/;

/**
 * The cookie that shows that a sign-in through a provider stays in one browser. Unlike the cookie of a session it is
 * sent when a browser comes back from another site, which is what it is for.
 */
@Injectable()
export class FlowCookie {
  private readonly name: string;
  private readonly attributes: string;

  constructor({ publicUrl }: Config) {
    const isSecure = publicUrl.startsWith('https:');
    // Browsers accept the prefix only from this host itself, and only over TLS.
    this.name = isSecure ? '__Host-svc_flow' : 'svc_flow';
    this.attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the secret of this browser, or undefined when it sends none, or several. */
  secretIn(cookies: string | undefined): string | undefined {
    const prefix = `${this.name}=`;
    const values = (cookies ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
    const [value, ...others] = values;
    return value !== undefined && others.length === 0 && FORM.test(value) ? value : undefined;
  }

  headerFor(secret: string): string {
    return `${this.name}=${secret}${this.attributes}; Max-Age=${LIFETIME_SECONDS}`;
  }

  get clearingHeader(): string {
    return `${this.name}=${this.attributes}; Max-Age=0`;
  }
}

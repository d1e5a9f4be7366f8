import type { Config } from '../config/config.js';
import { hostNameOf } from './host-name.js';

/** Tells the hosts of deploys, which lie below the domain of `APPS_URL`, from the platform's own. */
export class AppDomain {
  private readonly suffix: string;
  private readonly ownHosts: ReadonlySet<string>;

  constructor({ apps, publicUrl, dashboardUrl, docsUrl }: Config) {
    this.suffix = `.${apps.domain}`;
    // They may lie below the same domain: `api.example.com` beside `shop.example.com`.
    this.ownHosts = new Set([publicUrl, dashboardUrl, docsUrl].map((url) => hostNameOf(new URL(url).host)!));
  }

  /** `shop` for `shop.apps.example.com`; undefined for a host that is none of a deploy. */
  labelOf(host: string): string | undefined {
    return host.endsWith(this.suffix) && !this.ownHosts.has(host) ? host.slice(0, -this.suffix.length) : undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { HostPolicy } from '../../../platform/http/host-policy.js';
import { MisdirectedRequest } from '../hosting.errors.js';
import { HostingSettings } from '../hosting.settings.js';

/** Tells the hosts of deploys, which lie below the domain of `APPS_URL`, from the platform's own. */
@Injectable()
export class AppDomain extends HostPolicy {
  private readonly suffix: string;
  private readonly ownHosts: ReadonlySet<string>;
  private readonly pattern: string;

  constructor({ publicUrl, dashboardUrl, docsUrl }: Config, { appsUrl }: HostingSettings) {
    super();
    this.suffix = `.${appsUrl.domain}`;
    this.pattern = `${appsUrl.scheme}//<label>.${appsUrl.domain}${appsUrl.port}`;
    // They may lie below the same domain: `api.example.com` beside `shop.example.com`.
    this.ownHosts = new Set([publicUrl, dashboardUrl, docsUrl].map((url) => hostNameOf(new URL(url).host)!));
  }

  /** `shop` for `shop.apps.example.com`; undefined for a host that is none of a deploy. */
  labelOf(host: string): string | undefined {
    return host.endsWith(this.suffix) && !this.ownHosts.has(host) ? host.slice(0, -this.suffix.length) : undefined;
  }

  /** A hosted page must not reach the API under its own name, where a browser would take both for one site. */
  override requireOwn(host: string): void {
    if (this.labelOf(host) !== undefined) throw new MisdirectedRequest(host, this.pattern);
  }
}

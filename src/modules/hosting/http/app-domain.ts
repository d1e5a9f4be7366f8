import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { isHostName } from '../../../platform/config/hosts.js';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { HostPolicy } from '../../../platform/http/host-policy.js';
import { MisdirectedRequest } from '../hosting.errors.js';
import { HostingSettings } from '../hosting.settings.js';

/** Distinguishes the hosts of deploys, which lie below the domain of `APPS_URL`, from the platform's own hosts. */
@Injectable()
export class AppDomain implements OnModuleInit {
  private readonly suffix: string;
  private readonly domain: string;
  private readonly ownHosts: ReadonlySet<string>;
  private readonly pattern: string;

  constructor(
    { publicUrl, dashboardUrl, docsUrl }: Config,
    { appsUrl }: HostingSettings,
    private readonly policy: HostPolicy,
  ) {
    this.domain = appsUrl.domain;
    this.suffix = `.${appsUrl.domain}`;
    this.pattern = `${appsUrl.scheme}//<label>.${appsUrl.domain}${appsUrl.port}`;
    // The platform's hosts may lie below the same domain: `api.example.com` beside `shop.example.com`.
    this.ownHosts = new Set([publicUrl, dashboardUrl, docsUrl].map((url) => hostNameOf(new URL(url).host)!));
  }

  /** Returns `shop` for `shop.apps.example.com`, and undefined for a host that does not belong to deploys. */
  labelOf(host: string): string | undefined {
    return host.endsWith(this.suffix) && !this.ownHosts.has(host) ? host.slice(0, -this.suffix.length) : undefined;
  }

  /** True for a host that a customer may have brought: a domain name that is not the platform's. */
  mayBeCustom(host: string): boolean {
    return host.includes('.') && isHostName(host) && !host.endsWith(this.suffix) && !this.isOwn(host);
  }

  /** True for the apps' domain itself and the hosts of the API, the dashboard and the documentation. */
  private isOwn(host: string): boolean {
    return host === this.domain || this.ownHosts.has(host);
  }

  /** A hosted page must not reach the API under its own host name, because a browser would treat both as one site. */
  onModuleInit(): void {
    this.policy.add((host) => {
      if (this.labelOf(host) !== undefined) throw new MisdirectedRequest(host, this.pattern);
    });
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { HostPolicy } from '../../../platform/http/host-policy.js';
import { ObjectsSettings } from '../objects.settings.js';
import { StorageHostRefused } from './storage-hosts.errors.js';

/** The host names of object storage: its domain, and one below it for each bucket. */
@Injectable()
export class StorageDomain implements OnModuleInit {
  private readonly suffix: string;
  private readonly ownHosts: ReadonlySet<string>;

  constructor(
    private readonly settings: ObjectsSettings,
    private readonly policy: HostPolicy,
    { publicUrl, dashboardUrl, docsUrl }: Config,
  ) {
    this.suffix = `.${settings.domain}`;
    this.ownHosts = new Set([publicUrl, dashboardUrl, docsUrl].map((url) => hostNameOf(new URL(url).host)!));
  }

  /** True for the hosts that are answered: the domain, and one name below it. */
  owns(host: string): boolean {
    return host === this.settings.domain || this.labelOf(host) !== undefined;
  }

  /** Returns `photos-k3v9x2ma` for the host of that bucket. Undefined for every other host. */
  labelOf(host: string): string | undefined {
    const label = this.contains(host) && host.endsWith(this.suffix) ? host.slice(0, -this.suffix.length) : '';
    return label === '' || label.includes('.') ? undefined : label;
  }

  /** A page of a bucket must not reach the API under its own host name: browsers would treat both as one site. */
  onModuleInit(): void {
    this.policy.add((host) => {
      if (this.contains(host)) throw new StorageHostRefused(host, this.settings.endpoint);
    });
  }

  private contains(host: string): boolean {
    return (host === this.settings.domain || host.endsWith(this.suffix)) && !this.ownHosts.has(host);
  }
}

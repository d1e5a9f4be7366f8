import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { trimEnd } from '../../../platform/text/trim.js';
import { type DomainName, isFault, readDomainName } from '../../dns/domain-name.js';
import { HostingSettings } from '../../hosting/hosting.settings.js';
import { DomainNameRefused } from '../domains.errors.js';

/** Reads the names of domains, and refuses those of the platform itself. */
@Injectable()
export class DomainNames {
  private readonly reserved: readonly string[];

  constructor({ publicUrl, dashboardUrl, docsUrl }: Config, { appsUrl }: HostingSettings) {
    const hosts = [publicUrl, dashboardUrl, docsUrl].map((url) => trimEnd(new URL(url).hostname, '.'));
    this.reserved = [appsUrl.domain, ...hosts];
  }

  /** @throws {DomainNameRefused} `invalid_request` */
  read(typed: string, path: 'name' | 'redirect_to' = 'name'): DomainName {
    const read = readDomainName(typed, (host) => this.isReserved(host));
    if (isFault(read)) throw new DomainNameRefused(path, read);
    return read;
  }

  /** Returns undefined for a name that cannot be a domain. */
  find(typed: string): DomainName | undefined {
    const read = readDomainName(typed, (host) => this.isReserved(host));
    return isFault(read) ? undefined : read;
  }

  private isReserved(host: string): boolean {
    return this.reserved.some((reserved) => host === reserved || host.endsWith(`.${reserved}`));
  }
}

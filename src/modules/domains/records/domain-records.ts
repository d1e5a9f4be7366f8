import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { challengeHostOf, challengeValueOf } from '../../dns/domain-challenge.js';
import type { DomainName } from '../../dns/domain-name.js';
import { HostingSettings } from '../../hosting/hosting.settings.js';
import { DomainsSettings } from '../domains.settings.js';

/** A record that the owner of a domain sets. */
export interface ExpectedRecord {
  /** `ALIAS` stands for the record that DNS providers offer instead of a CNAME at the top of a zone. */
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'ALIAS';
  readonly name: string;
  readonly value: string;
  /** `verification` proves that the name is the caller's, `routing` leads its visitors here. */
  readonly purpose: 'verification' | 'routing';
}

/** Says which records a domain needs. */
@Injectable()
export class DomainRecords {
  constructor(
    private readonly settings: DomainsSettings,
    private readonly hosting: HostingSettings,
  ) {}

  /** The host that CNAME records point to. */
  get cnameTarget(): string {
    return this.settings.cname ?? `cname.${this.hosting.appsUrl.domain}`;
  }

  /** The addresses that A and AAAA records lead to; none when those of {@link cnameTarget} are looked up. */
  get addresses(): readonly string[] {
    return this.settings.addresses;
  }

  of(name: DomainName, challengeToken: string): readonly ExpectedRecord[] {
    return [
      { type: 'TXT', name: challengeHostOf(name), value: challengeValueOf(challengeToken), purpose: 'verification' },
      ...this.routingOf(name),
    ];
  }

  /** True for hosts that lead here: the CNAME target and the hosts of deploys. */
  isOurHost(host: string): boolean {
    const { domain } = this.hosting.appsUrl;
    return host === this.cnameTarget || host === domain || host.endsWith(`.${domain}`);
  }

  private routingOf({ ascii, isApex }: DomainName): ExpectedRecord[] {
    const purpose = 'routing';
    if (!isApex) return [{ type: 'CNAME', name: ascii, value: this.cnameTarget, purpose }];
    if (this.addresses.length === 0) return [{ type: 'ALIAS', name: ascii, value: this.cnameTarget, purpose }];
    return this.addresses.map((value) => ({ type: isIP(value) === 6 ? 'AAAA' : 'A', name: ascii, value, purpose }));
  }
}

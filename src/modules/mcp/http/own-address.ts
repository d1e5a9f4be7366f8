import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { ForeignHost, ForeignPage } from './mcp-refusals.js';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses pages of other sites, also those whose host name was made to lead to this machine (DNS rebinding). */
@Injectable()
export class OwnAddress {
  private readonly origin: string;
  private readonly hosts: ReadonlySet<string>;

  constructor({ publicUrl }: Config) {
    const { origin, hostname } = new URL(publicUrl);
    this.origin = origin;
    this.hosts = new Set([hostname, ...LOCAL_HOSTS]);
  }

  /**
   * @throws {ForeignHost} `misdirected_request`: the host is not that of `PUBLIC_URL`, and not this machine.
   * @throws {ForeignPage} `cross_site_request`: the header `Origin` names another site.
   */
  require({ headers: { host, origin } }: IncomingMessage): void {
    const name = host?.startsWith('[') === true ? host.replace(/:\d+$/, '') : hostNameOf(host);
    if (name !== undefined && !this.hosts.has(name)) throw new ForeignHost(name);
    if (origin !== undefined && origin !== this.origin) throw new ForeignPage();
  }
}

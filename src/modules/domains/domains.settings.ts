import { isIP } from 'node:net';
import { isHostName } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, TextSetting } from '../../platform/config/setting.js';

/** What the records of the domains of customers must lead to. */
export class DomainsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'DOMAINS_ADDRESSES',
    summary:
      'Public IPv4 and IPv6 addresses of your proxy, separated by commas. Domains without a subdomain point to them ' +
      'with A and AAAA records.',
    unset: 'the addresses of `DOMAINS_CNAME` are looked up',
    see: 'domains.md',
    example: '203.0.113.7,2001:db8::7',
    parse: parseAddresses,
    rule: 'must be a list of IP addresses with commas between',
  })
  readonly addresses: readonly string[] = [];

  @TextSetting({
    name: 'DOMAINS_CNAME',
    summary: 'Host name that the CNAME records of domains point to. It must resolve to your proxy.',
    unset: '`cname.` and the domain of `APPS_URL`',
    see: 'domains.md',
    example: 'cname.apps.example.com',
    pattern: { matches: /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/, rule: 'must be a lower-case host name' },
  })
  readonly cname?: string;

  @TextSetting({
    name: 'TLS_ASK_SECRET',
    summary:
      'Secret with which a proxy such as Caddy asks `GET /internal/tls` whether a host name may have a certificate.',
    unset: 'the answer is always 404',
    see: 'domains.md#https-with-caddy',
    minLength: 16,
  })
  readonly tlsAskSecret?: string;

  override faults(): readonly string[] {
    return this.cname === undefined || isHostName(this.cname) ? [] : ['DOMAINS_CNAME must be a lower-case host name'];
  }
}

function parseAddresses(text: string): readonly string[] | undefined {
  const addresses = text
    .split(',')
    .map((address) => address.trim().toLowerCase())
    .filter(Boolean);
  return addresses.every((address) => isIP(address) !== 0) ? addresses : undefined;
}

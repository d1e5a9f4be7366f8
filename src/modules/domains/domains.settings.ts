import { isIP } from 'node:net';
import { isHostName } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, TextSetting } from '../../platform/config/setting.js';

/** How the domains of customers are verified, and what their records must lead to. */
export class DomainsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'DOMAINS_RESOLVER',
    summary: 'DNS servers that domains are verified with: IP addresses with an optional port, separated by commas.',
    unset: 'the name servers of the machine are asked',
    see: 'domains.md',
    example: '9.9.9.9,[2620:fe::fe]:53',
    parse: parseServers,
    rule: 'must be a list of IP addresses, each with an optional port, such as 9.9.9.9:53 or [2620:fe::fe]:53',
  })
  readonly resolver?: readonly string[];

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

function parseServers(text: string): readonly string[] | undefined {
  const servers = entriesOf(text);
  return servers.length > 0 && servers.every(isServer) ? servers : undefined;
}

function parseAddresses(text: string): readonly string[] | undefined {
  const addresses = entriesOf(text).map((address) => address.toLowerCase());
  return addresses.every((address) => isIP(address) !== 0) ? addresses : undefined;
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIP(four ?? '') === 4 : isIP(six) === 6;
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) < 65_536));
}

const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

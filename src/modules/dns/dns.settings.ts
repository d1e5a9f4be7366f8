import { isIP } from 'node:net';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

/** Whom the service asks for the records of domains. */
export class DnsSettings extends ModuleSettings {
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
}

function parseServers(text: string): readonly string[] | undefined {
  const servers = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  return servers.length > 0 && servers.every(isServer) ? servers : undefined;
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIP(four ?? '') === 4 : isIP(six) === 6;
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) < 65_536));
}

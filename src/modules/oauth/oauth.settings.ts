import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';
import { parseClientHosts } from './domain/client-hosts.js';

/** The settings of the authorization server for MCP clients. */
export class OauthSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'OAUTH_CLIENT_HOSTS',
    summary:
      'Hosts that OAuth clients may come from: of the address of their metadata, or of every redirect of a ' +
      'registered client. `localhost` and `127.0.0.1` allow programs on the machines of people.',
    unset: 'every public host, and programs on the machines of people',
    example: 'claude.ai,*.example.com,localhost',
    parse: parseClientHosts,
    rule: 'must be a list of <host> or *.<domain>, with commas between',
  })
  readonly clientHosts?: readonly string[];

  @ParsedSetting({
    name: 'OAUTH_TRUSTED_CLIENT_HOSTS',
    summary:
      'Hosts whose client metadata may be fetched although their addresses are private, also by plain HTTP. ' +
      'Anyone can name them as a client.',
    example: 'tools.internal,10.0.0.5:8080',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly trustedClientHosts: readonly string[] = [];
}

import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, UrlSetting } from '../../platform/config/setting.js';

/** The settings of the tools of agents. */
export class RunToolsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'AGENT_TRUSTED_HOSTS',
    summary:
      'Hosts that the tools of agents may request although their addresses are private, also by plain HTTP. ' +
      'The agents of all customers can reach them.',
    see: 'agents.md',
    example: 'search.internal,10.0.0.5:8080',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly trustedHosts: readonly string[] = [];

  @UrlSetting({
    name: 'AGENT_API_URL',
    summary: 'Where agents find the API for the tools of this service, as the machines of the role `worker` reach it.',
    unset: '`PUBLIC_URL`',
    see: 'agents.md',
    example: 'http://10.0.0.7:3000',
  })
  private readonly givenApiUrl?: string;

  /** The API, as the machine of a worker reaches it. */
  get apiUrl(): URL {
    return new URL(this.givenApiUrl ?? this.config.publicUrl);
  }
}

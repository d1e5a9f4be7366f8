import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

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
}

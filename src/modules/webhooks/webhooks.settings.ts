import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

/** The settings of outbound webhooks. */
export class WebhooksSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'WEBHOOK_TRUSTED_HOSTS',
    summary:
      'Hosts that webhooks may be sent to although their addresses are private, also by plain HTTP. ' +
      'All customers can send to them.',
    see: 'webhooks.md',
    example: 'hooks.internal,10.0.0.5:8080',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly trustedHosts: readonly string[] = [];
}

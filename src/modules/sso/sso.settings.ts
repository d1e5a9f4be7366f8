import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

export class SsoSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'SSO_ALLOWED_HOSTS',
    summary:
      'Further hosts of identity providers, such as `sso.internal:8443`, separated by commas. ' +
      'They may use http and private addresses. All others must be public and use https.',
    example: 'sso.internal:8443',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly allowedHosts: readonly string[] = [];
}

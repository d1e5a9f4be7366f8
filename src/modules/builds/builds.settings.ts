import { join } from 'node:path';
import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

export class BuildsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'BUILD_ALLOWED_HOSTS',
    summary:
      'Hosts, `npm.internal:4873` for one, that builds may reach beside the public package registries, by http too; with commas between.',
    example: 'npm.internal:4873',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly allowedHosts: readonly string[] = [];

  /** Where builds take place and leave their caches. */
  get directory(): string {
    return join(this.config.isolatedHome, 'builds');
  }
}

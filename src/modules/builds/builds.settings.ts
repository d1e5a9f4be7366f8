import { join } from 'node:path';
import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

export class BuildsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'BUILD_ALLOWED_HOSTS',
    summary:
      'Comma-separated hosts, such as `npm.internal:4873`, that builds may reach in addition to the public package ' +
      'registries, over http too.',
    example: 'npm.internal:4873',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly allowedHosts: readonly string[] = [];

  /** The directory of running builds and of their caches. */
  get directory(): string {
    return join(this.config.isolatedHome, 'builds');
  }
}

import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

export class ProjectsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'GIT_ALLOWED_HOSTS',
    summary:
      'Hosts, `git.internal:8418` for one, that repositories of projects may also come from, by http too; with commas between. For mirrors and tests.',
    example: 'git.internal:8418',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly gitAllowedHosts: readonly string[] = [];
}

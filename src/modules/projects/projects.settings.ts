import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

export class ProjectsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'GIT_ALLOWED_HOSTS',
    summary:
      'Further hosts of project repositories, such as `git.internal:8418`, separated by commas. ' +
      'They may use http and private addresses. For mirrors and tests.',
    example: 'git.internal:8418',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly gitAllowedHosts: readonly string[] = [];
}

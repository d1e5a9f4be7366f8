import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting } from '../../platform/config/setting.js';

export class RepositoriesSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'REPOSITORY_MAX_MIB',
    summary: 'Maximum size of a repository of this service on disk.',
    unit: 'MiB',
    min: 1,
    max: 1_048_576,
  })
  private readonly maxMib: number = 500;

  get maxBytes(): number {
    return this.maxMib * 1_048_576;
  }
}

import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting } from '../../platform/config/setting.js';

export class UploadsSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'UPLOAD_MAX_MIB',
    summary: 'Maximum size of the files of one upload. Uploads that a project keeps may take twice as much.',
    unit: 'MiB',
    min: 1,
    max: 1_048_576,
  })
  private readonly maxMib: number = 500;

  get maxBytes(): number {
    return this.maxMib * 1_048_576;
  }

  /** When the files of a project would exceed this, it starts with an empty store. */
  get storeBytes(): number {
    return 2 * this.maxBytes;
  }
}

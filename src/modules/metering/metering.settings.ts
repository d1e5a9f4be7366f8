import { join, resolve } from 'node:path';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';
import { PROJECT_ROOT } from '../../platform/version.js';

export class MeteringSettings extends ModuleSettings {
  @TextSetting({
    name: 'PRICES_FILE',
    summary: 'File with the prices of usage, in the format of `deploy/prices.yml`.',
    unset: '`deploy/prices.yml` is used',
    example: 'prices.yml',
  })
  private readonly givenPricesFile?: string;

  get pricesFile(): string {
    return this.givenPricesFile === undefined
      ? join(PROJECT_ROOT, 'deploy', 'prices.yml')
      : resolve(this.givenPricesFile);
  }
}

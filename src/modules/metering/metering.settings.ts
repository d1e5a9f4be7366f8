import { join, resolve } from 'node:path';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';
import { PROJECT_ROOT } from '../../platform/version.js';

export class MeteringSettings extends ModuleSettings {
  @TextSetting({
    name: 'PRICES_FILE',
    summary: 'What usage costs, a file like `deploy/prices.yml`.',
    unset: 'that one',
    example: 'prices.yml',
  })
  private readonly givenPricesFile?: string;

  get pricesFile(): string {
    return this.givenPricesFile === undefined
      ? join(PROJECT_ROOT, 'deploy', 'prices.yml')
      : resolve(this.givenPricesFile);
  }
}

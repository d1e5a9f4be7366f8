import 'reflect-metadata';
import { Config } from '../../src/platform/config/config.js';
import { settingsDeclaredBy } from '../../src/platform/config/setting.js';
import { MODULE_SETTINGS } from '../../src/roles/settings.js';

/** Returns all environment variables of the service. */
export function environmentNames(): string[] {
  return [Config, ...MODULE_SETTINGS].flatMap((settings) => settingsDeclaredBy(settings).map(({ name }) => name));
}

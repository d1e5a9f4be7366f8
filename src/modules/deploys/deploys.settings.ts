import { availableParallelism } from 'node:os';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting } from '../../platform/config/setting.js';

export class DeploysSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'DEPLOY_CONCURRENCY',
    summary: 'Maximum number of concurrent deploys in one worker.',
    unset: 'one for each processor',
    unit: 'deploys',
    example: '2',
    min: 1,
    max: 64,
  })
  private readonly givenConcurrency?: number;

  get concurrency(): number {
    return this.givenConcurrency ?? availableParallelism();
  }
}

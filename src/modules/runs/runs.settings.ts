import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting } from '../../platform/config/setting.js';

/** The settings of runs of agents. */
export class RunsSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'AGENT_RUNS_CONCURRENCY',
    summary: 'Runs of agents that one worker drives at the same time. Runs that wait do not count.',
    unit: 'runs',
    min: 1,
    max: 1_000,
  })
  readonly concurrency: number = 50;
}

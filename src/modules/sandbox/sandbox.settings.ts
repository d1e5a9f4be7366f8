import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { BooleanSetting, ChoiceSetting, IntegerSetting, TextSetting } from '../../platform/config/setting.js';
import type { IsolationSettings } from '../../platform/isolation/isolation-settings.js';

/** What runs may use, and how everything of tenants is isolated, builds and servers of apps included. */
export class SandboxSettings extends ModuleSettings implements IsolationSettings {
  @BooleanSetting({ name: 'SANDBOX_ENABLED', summary: '`false`: this worker runs no code.' })
  readonly enabled: boolean = true;

  @IntegerSetting({
    name: 'SANDBOX_EXECUTIONS_PER_DAY',
    summary: 'Runs of an address without an account, a UTC day.',
    unit: 'runs',
    min: 1,
  })
  readonly executionsPerDay: number = 10;

  @IntegerSetting({ name: 'SANDBOX_TIMEOUT_MS', summary: 'Longest run.', unit: 'ms', min: 100, max: 30_000 })
  readonly timeoutMs: number = 30_000;

  @IntegerSetting({ name: 'SANDBOX_MEMORY_MIB', summary: 'Memory of a run.', unit: 'MiB', min: 64, max: 4_096 })
  private readonly memoryMib: number = 256;

  @IntegerSetting({
    name: 'SANDBOX_CONCURRENCY',
    summary: 'Runs at the same time in one worker.',
    unset: 'one for each processor',
    unit: 'runs',
    example: '4',
    min: 1,
    max: 64,
  })
  private readonly givenConcurrency?: number;

  @ChoiceSetting({
    name: 'SANDBOX_CGROUPS',
    summary: '`off`: limit runs without cgroups even where they could be used.',
    values: ['auto', 'off'],
  })
  readonly cgroups: 'auto' | 'off' = 'auto';

  @IntegerSetting({
    name: 'SANDBOX_CPU_WEIGHT',
    summary:
      'Share of the processors for all work of tenants together (sandboxes, builds, apps) while they are contended; 100 is one busy process of the service. Needs cgroups; elsewhere `nice` stands in.',
    min: 1,
    max: 10_000,
  })
  readonly cpuWeight: number = 10;

  @TextSetting({
    name: 'SANDBOX_BUBBLEWRAP',
    summary: 'Path of `bwrap` when it is in no usual place.',
    example: '/usr/bin/bwrap',
  })
  readonly bubblewrap: string | undefined = undefined;

  get memoryBytes(): number {
    return this.memoryMib * 1_048_576;
  }

  get concurrency(): number {
    return this.givenConcurrency ?? availableParallelism();
  }

  get copiesDirectory(): string {
    return join(this.config.isolatedHome, 'sandbox');
  }
}

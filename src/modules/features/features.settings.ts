import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, TextSetting } from '../../platform/config/setting.js';
import { parseFixedFlags } from './settings/fixed-flags.js';

export class FeaturesSettings extends ModuleSettings {
  @TextSetting({
    name: 'FEATURE_FLAG_ALLOWLIST',
    summary: 'Names of the feature flags that operators may switch, with commas between.',
    example: 'sign_ups,anonymous_sandbox',
  })
  private readonly allowlistText: string = '';

  @ParsedSetting({
    name: 'FEATURE_FLAGS',
    summary: 'Feature flags that are fixed, `sign_ups=off,deploys=on`; nobody can toggle them.',
    example: 'sign_ups=off',
    parse: parseFixedFlags,
    rule: 'must be a list of <flag>=on or <flag>=off, with commas between',
  })
  /** Flags that the environment fixes, by name. */
  readonly fixedFlags: ReadonlyMap<string, boolean> = new Map();

  get allowlist(): readonly string[] {
    return this.allowlistText
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  }
}

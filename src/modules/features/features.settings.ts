import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, TextSetting } from '../../platform/config/setting.js';
import { parseFixedFlags } from './settings/fixed-flags.js';

export class FeaturesSettings extends ModuleSettings {
  @TextSetting({
    name: 'FEATURE_FLAG_ALLOWLIST',
    summary: 'Feature flags that operators may toggle, separated by commas.',
    example: 'sign_ups,anonymous_sandbox',
  })
  private readonly allowlistText: string = '';

  @ParsedSetting({
    name: 'FEATURE_FLAGS',
    summary: 'Feature flags with a fixed value, such as `sign_ups=off,deploys=on`. They cannot be toggled.',
    example: 'sign_ups=off',
    parse: parseFixedFlags,
    rule: 'must be a list of <flag>=on or <flag>=off, separated by commas',
  })
  /** The flags that the environment fixes, by name. */
  readonly fixedFlags: ReadonlyMap<string, boolean> = new Map();

  get allowlist(): readonly string[] {
    return this.allowlistText
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  }
}

import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';

/** Tokens that protect the operator endpoints. */
export class OperatorsSettings extends ModuleSettings {
  @TextSetting({
    name: 'OPS_TOKEN',
    summary: 'Bearer token of the operator endpoints.',
    unset: 'they answer only programs on this machine, without a proxy',
    minLength: 16,
  })
  readonly opsToken: string | undefined = undefined;

  @TextSetting({
    name: 'METRICS_TOKEN',
    summary: 'Bearer token of `GET /metrics`.',
    unset: 'it is open',
    minLength: 16,
  })
  readonly metricsToken: string | undefined = undefined;

  @TextSetting({
    name: 'USAGE_TOKEN',
    summary: 'Bearer token of trusted sources that report usage.',
    unset: 'usage reports are disabled',
    see: 'metering.md',
    minLength: 16,
  })
  readonly usageToken: string | undefined = undefined;
}

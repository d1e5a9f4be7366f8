import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, TextSetting } from '../../platform/config/setting.js';
import { parseOperatorEmails } from './settings/operator-emails.js';

/** Who may call the operator endpoints: tokens, and people. */
export class OperatorsSettings extends ModuleSettings {
  @TextSetting({
    name: 'OPS_TOKEN',
    summary: 'Bearer token of the operator endpoints.',
    unset: 'they answer only programs on this machine, without a proxy',
    minLength: 16,
  })
  readonly opsToken: string | undefined = undefined;

  @ParsedSetting({
    name: 'OPERATOR_EMAILS',
    summary: 'Verified email addresses of the people who are operators in the web app, separated by commas.',
    unset: 'the first account is one, on this machine and while `OPS_TOKEN` is not set',
    example: 'ada@example.org',
    parse: parseOperatorEmails,
    rule: 'must be a list of email addresses, separated by commas',
  })
  readonly operatorEmails: ReadonlySet<string> = new Set();

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

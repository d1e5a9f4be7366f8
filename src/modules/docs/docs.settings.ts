import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';

export class DocsSettings extends ModuleSettings {
  @TextSetting({
    name: 'SECURITY_CONTACT',
    summary:
      'Where people report vulnerabilities, an address or an `https://` page: `/.well-known/security.txt` names it.',
    unset: 'there is no such file',
    example: 'mailto:security@example.com',
    pattern: {
      matches: /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
      rule: 'must be mailto:<address> or an https:// address',
    },
  })
  readonly securityContact: string | undefined = undefined;
}

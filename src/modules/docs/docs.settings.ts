import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';

export class DocsSettings extends ModuleSettings {
  @TextSetting({
    name: 'SECURITY_CONTACT',
    summary: 'Contact for vulnerability reports, an address or an `https://` page, for `/.well-known/security.txt`.',
    unset: 'the file is not served',
    example: 'mailto:security@example.com',
    pattern: {
      matches: /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
      rule: 'must be mailto:<address> or an https:// address',
    },
  })
  readonly securityContact: string | undefined = undefined;
}

import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting } from '../../platform/config/setting.js';

export class AuthSettings extends ModuleSettings {
  @ChoiceSetting({
    name: 'EMAIL_VERIFICATION',
    summary:
      '`required`: an account needs a verified email address to create API keys, deploy and invite. ' +
      '`off`: it does not.',
    unset: '`required` with `MAILER=smtp`, else `off`',
    example: 'required',
    values: ['required', 'off'],
  })
  private readonly givenVerification?: 'required' | 'off';

  /** With the mailer `log`, only the operator can read the messages, so users could not verify their addresses. */
  get emailVerification(): 'required' | 'off' {
    return this.givenVerification ?? (this.config.mail.mailer === 'smtp' ? 'required' : 'off');
  }
}

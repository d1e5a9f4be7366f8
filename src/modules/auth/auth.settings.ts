import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting } from '../../platform/config/setting.js';

export class AuthSettings extends ModuleSettings {
  @ChoiceSetting({
    name: 'EMAIL_VERIFICATION',
    summary:
      '`required`: an account needs a verified e-mail address to create API keys, deploy and invite. `off`: it does not.',
    unset: '`required` with `MAILER=smtp`, else `off`',
    example: 'required',
    values: ['required', 'off'],
  })
  private readonly givenVerification?: 'required' | 'off';

  /** Messages of the mailer `log` are files that only the operator reads. */
  get emailVerification(): 'required' | 'off' {
    return this.givenVerification ?? (this.config.mail.mailer === 'smtp' ? 'required' : 'off');
  }
}

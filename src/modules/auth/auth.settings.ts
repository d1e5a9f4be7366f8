import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting, IntegerSetting } from '../../platform/config/setting.js';

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

  @IntegerSetting({
    name: 'SESSION_IDLE_HOURS',
    summary: 'A session ends when it was not used for this many hours. After 30 days it always does.',
    unset: 'sessions do not end for that',
    example: '72',
    unit: 'hours',
    min: 1,
    max: 720,
  })
  readonly sessionIdleHours?: number;

  @IntegerSetting({
    name: 'SESSION_MAX_DAYS',
    summary: 'A session ends this many days after the sign-in, however much it is used.',
    unit: 'days',
    min: 1,
    max: 365,
  })
  readonly sessionMaxDays: number = 90;

  /** True for an address that has to be verified first: to act with the account, and to get mail about it. */
  needsVerification(isVerified: boolean): boolean {
    return this.emailVerification === 'required' && !isVerified;
  }

  /** With the mailer `log`, only the operator can read the messages, so users could not verify their addresses. */
  get emailVerification(): 'required' | 'off' {
    return this.givenVerification ?? (this.config.mail.mailer === 'smtp' ? 'required' : 'off');
  }
}

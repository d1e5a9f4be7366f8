import { readSettings } from '../../platform/config/settings.js';
import { AuthSettings } from './auth.settings.js';

describe('AuthSettings', () => {
  it('require verified email addresses where mail is sent, unless EMAIL_VERIFICATION says otherwise', () => {
    const smtp = { MAILER: 'smtp', SMTP_URL: 'smtp://mail.example.com' };
    expect(
      [{}, smtp, { EMAIL_VERIFICATION: 'required' }, { ...smtp, EMAIL_VERIFICATION: 'off' }].map(
        (source) => readSettings([AuthSettings], source).of(AuthSettings).emailVerification,
      ),
    ).toEqual(['off', 'required', 'required', 'off']);
  });
});

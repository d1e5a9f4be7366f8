import { TITLES } from '../../identities/identities.errors.js';
import type { Identity } from '../../identities/identities.service.js';
import type { MailText } from './auth-mail.templates.js';
import { formatTime, oneLine, paragraphs } from './notice-text.js';

/** A provider chose the names, so they must not add lines to the message. */
export const identitiesChangedMail = (username: string, identities: readonly Identity[], page: string): MailText => ({
  subject: 'The connected accounts of your account were changed',
  text: paragraphs(
    `Hello ${username},`,
    identities.length === 0
      ? 'no account at GitHub or Google signs in to your account any more.'
      : 'these accounts now sign in to your account:',
    ...identities.map(
      ({ provider, name, createdAt }) =>
        `  ${TITLES[provider]} ${oneLine(name)}, connected on ${formatTime(createdAt)}`,
    ),
    `If this was you, no action is needed. You find them at ${page}.`,
    'If this was not you, reset your password with POST /api/v1/auth/password/forgot, ' +
      'and send "revoke_keys": true with it.',
  ),
});

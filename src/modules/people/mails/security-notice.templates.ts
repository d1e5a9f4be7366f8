import type { MailText } from './auth-mail.templates.js';
import { formatTime, oneLine, paragraphs } from './notice-text.js';

interface KeyFacts {
  readonly id: string;
  readonly name: string;
  readonly last4: string;
  readonly createdAt: Date;
}

export const keyCreatedMail = (username: string, { id, name, last4, createdAt }: KeyFacts): MailText => ({
  subject: 'A new API key was created for your account',
  text: paragraphs(
    `Hello ${username},`,
    `an API key was created for your account on ${formatTime(createdAt)}:`,
    `  ${name} (${id}, ends in ${last4})`,
    `If this was you, no action is needed. If not, revoke it with DELETE /api/v1/keys/${id} and reset your password.`,
  ),
});

/** The client chose its name, so it must not add lines to the message. */
export const grantMadeMail = (username: string, { id, name, createdAt }: Omit<KeyFacts, 'last4'>): MailText => ({
  subject: 'An application was connected to your account',
  text: paragraphs(
    `Hello ${username},`,
    `an application was given access to your account on ${formatTime(createdAt)}:`,
    `  ${oneLine(name)} (${id})`,
    `If this was you, no action is needed. If not, end its access with DELETE /api/v1/keys/${id} and reset your ` +
      'password.',
  ),
});

export const passwordChangedMail = (
  username: string,
  { at, activeKeys }: { at: Date; activeKeys: number },
): MailText => ({
  subject: 'Your password was changed',
  text: paragraphs(
    `Hello ${username},`,
    `the password of your account was changed on ${formatTime(at)}. Other sessions have ended.`,
    activeKeys === 0
      ? 'Your account has no active API keys.'
      : `API keys are not affected: ${activeKeys} ${activeKeys === 1 ? 'key keeps' : 'keys keep'} working. ` +
          'List them with GET /api/v1/keys and revoke those that you do not recognize.',
    'If this was not you, reset your password with POST /api/v1/auth/password/forgot, ' +
      'and send "revoke_keys": true with it.',
  ),
});

export const newSignInMail = (
  username: string,
  { ip, userAgent, createdAt }: { ip: string; userAgent: string | null; createdAt: Date },
): MailText => ({
  subject: 'New sign-in to your account',
  text: paragraphs(
    `Hello ${username},`,
    `there was a sign-in to your account on ${formatTime(createdAt)} from a new address:`,
    `  ${ip}${userAgent === null ? '' : `, ${oneLine(userAgent)}`}`,
    'If this was you, no action is needed. If not, reset your password with POST /api/v1/auth/password/forgot, ' +
      'and send "revoke_keys": true with it.',
  ),
});

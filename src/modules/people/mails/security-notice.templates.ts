import type { MailText } from './auth-mail.templates.js';

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
    `an API key was created for your account on ${time(createdAt)}:`,
    `  ${name} (${id}, ends in ${last4})`,
    `If that was you, there is nothing to do. If not, revoke it with DELETE /api/v1/keys/${id} and set a new password.`,
  ),
});

export const passwordChangedMail = (
  username: string,
  { at, activeKeys }: { at: Date; activeKeys: number },
): MailText => ({
  subject: 'Your password was changed',
  text: paragraphs(
    `Hello ${username},`,
    `the password of your account was changed on ${time(at)}. Other sessions have ended.`,
    activeKeys === 0
      ? 'No API key of your account works now.'
      : `API keys are not affected: ${activeKeys} ${activeKeys === 1 ? 'key keeps' : 'keys keep'} working. List them with GET /api/v1/keys and revoke those you do not know.`,
    'If that was not you, set a new password with POST /api/v1/auth/password/forgot, and send "revoke_keys": true with it.',
  ),
});

export const newSignInMail = (
  username: string,
  { ip, userAgent, createdAt }: { ip: string; userAgent: string | null; createdAt: Date },
): MailText => ({
  subject: 'New sign-in to your account',
  text: paragraphs(
    `Hello ${username},`,
    `somebody signed in to your account on ${time(createdAt)} from an address that was not used before:`,
    `  ${ip}${userAgent === null ? '' : `, ${oneLine(userAgent)}`}`,
    'If that was you, there is nothing to do. If not, set a new password with POST /api/v1/auth/password/forgot, and send "revoke_keys": true with it.',
  ),
});

const time = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The caller chose it. */
const oneLine = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);

const paragraphs = (...texts: string[]): string => `${texts.join('\n\n')}\n`;

import { instructions, type MailText, type TokenMail } from './auth-mail.templates.js';
import { formatTime, oneLine, paragraphs } from './notice-text.js';

const CONFIRM = 'POST /api/v1/auth/confirm-email-change';

interface ChangeFacts {
  readonly newEmail: string;
  readonly oldEmail: string;
  readonly ip: string;
  readonly requestedAt: Date;
  readonly waivedAt: Date;
}

export const proveEmailMail = (username: string, { link, token }: TokenMail): MailText => ({
  subject: 'Confirm your new email address',
  text: paragraphs(
    `Hello ${username},`,
    'please confirm that this is the new email address of your account.',
    ...instructions(link, `${CONFIRM}:\n${token}`),
    'It works once, within seven days. If you do not know this account, ignore this message.',
  ),
});

/** The address has an account already. The message names nobody, as it is about an account of its reader. */
export const addressInUseMail = (username: string): MailText => ({
  subject: 'Your email address was entered for another account',
  text: paragraphs(
    `Hello ${username},`,
    'a person wanted to make this the email address of another account. Nothing has changed, because your account ' +
      'has it. The other person does not learn that.',
    'If this was you: an address belongs to one account. Change the address of this account first, or delete the ' +
      'account, then try again. If it was not you, no action is needed.',
  ),
});

/** The address may be long lost, so the message says what happens without an answer. */
export const approveEmailMail = (
  username: string,
  { newEmail, ip, requestedAt, waivedAt }: ChangeFacts,
  { link, token }: TokenMail,
): MailText => ({
  subject: 'Your email address is about to change',
  text: paragraphs(
    `Hello ${username},`,
    `on ${formatTime(requestedAt)} a person in your account, at ${ip}, asked to replace this email address by:`,
    `  ${oneLine(newEmail)}`,
    'If this was you, approve it.',
    ...instructions(link, `${CONFIRM}:\n${token}`),
    `Without an answer, the address changes after ${formatTime(waivedAt)}, as soon as the new one is confirmed.`,
    'If this was not you, reset your password with POST /api/v1/auth/password/forgot, which stops the change, and ' +
      'send "revoke_keys": true with it.',
  ),
});

export const emailChangedMail = (username: string, { oldEmail, newEmail }: ChangeFacts, at: Date): MailText => ({
  subject: 'The email address of your account was changed',
  text: paragraphs(
    `Hello ${username},`,
    `the email address of your account was changed on ${formatTime(at)}:`,
    `  from ${oneLine(oldEmail)} to ${oneLine(newEmail)}`,
    'Other sessions have ended. API keys keep working.',
    'If this was you, no action is needed. If not, contact the operator of the service at once: messages now go to ' +
      'the new address alone.',
  ),
});

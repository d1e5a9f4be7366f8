import type { FactorOverview } from '../../factors/factors.service.js';
import type { MailText } from './auth-mail.templates.js';
import { formatTime, oneLine, paragraphs } from './notice-text.js';

const RESET =
  'If this was not you, reset your password with POST /api/v1/auth/password/forgot, ' +
  'and send "revoke_keys": true with it.';

/** The person chose the names, so they must not add lines to the message. */
export const factorsChangedMail = (
  username: string,
  { factors, recoveryCodesLeft }: FactorOverview,
  page: string,
): MailText => ({
  subject: 'The second factors of your account were changed',
  text: paragraphs(
    `Hello ${username},`,
    factors.length === 0
      ? 'your account has no second factor any more. The password alone signs in.'
      : 'your account now has these second factors:',
    ...factors.map(({ type, name, createdAt }) => {
      const what = type === 'totp' ? 'authenticator app' : `passkey ${oneLine(name ?? '')}`;
      return `  ${what}, added on ${formatTime(createdAt)}`;
    }),
    ...(factors.length === 0 ? [] : [`Recovery codes that still work: ${recoveryCodesLeft}.`]),
    `If this was you, no action is needed. You find your factors at ${page}.`,
    RESET,
  ),
});

export const passkeyRefusedMail = (username: string, page: string): MailText => ({
  subject: 'A passkey of your account was refused',
  text: paragraphs(
    `Hello ${username},`,
    'a sign-in with one of your passkeys was refused, because the passkey has counted backwards. It may have been ' +
      'copied to another device.',
    `Remove it at ${page}, and add a new one. The audit log of your organization names it.`,
  ),
});

export const factorRecoveryMail = (
  username: string,
  { dueAt, ip, requestedAt }: { readonly dueAt: Date; readonly ip: string; readonly requestedAt: Date },
): MailText => ({
  subject: 'Your second factors will be removed',
  text: paragraphs(
    `Hello ${username},`,
    `a person who showed your password or a connected account said on ${formatTime(requestedAt)}, from ${ip}, that ` +
      'all second factors of your account are lost.',
    `They will be removed on ${formatTime(dueAt)}. Until then nobody can sign in without one.`,
    'If this was you, wait for the next message. If not, sign in with a second factor, which stops it, and change ' +
      'your password.',
  ),
});

export const factorsRecoveredMail = (username: string): MailText => ({
  subject: 'Your second factors were removed',
  text: paragraphs(
    `Hello ${username},`,
    'as requested 48 hours ago, all second factors and recovery codes of your account were removed, and all sessions ' +
      'have ended. The password alone signs in.',
    'Sign in and set up a new factor.',
    RESET,
  ),
});

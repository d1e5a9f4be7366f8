import type { LeakFacts } from '../../auth/auth-mail.job.js';
import type { MailText } from './auth-mail.templates.js';
import { oneLine, paragraphs } from './notice-text.js';

const USES =
  'What it was used for is in the audit log of your organization, and its last use and address in ' +
  'GET /api/v1/keys/';

/** What is said of each: the subject, what happened to it, and what to do now. */
const WORDS: Readonly<
  Record<LeakFacts['what'], (id: string) => readonly [subject: string, ended: string, next: string]>
> = {
  api_key: (id) => [
    'Your API key was found in public and revoked',
    'this API key of your account was found in public, and was revoked at once:',
    `Programs that use it are refused. Create a new key for them. ${USES}${id}.`,
  ],
  api_key_secret: (id) => [
    'An earlier secret of your API key was found in public',
    'an earlier secret of this API key was found in public. It ended at once; the present secret works:',
    `Programs that still use the earlier one are refused. Give them the present one. ${USES}${id}.`,
  ],
  session: () => [
    'A session of your account was found in public and ended',
    'the token of this session of your account was found in public, and the session was ended at once:',
    'Sign in again. If you do not know how the token came there, change your password.',
  ],
  scim_token: () => [
    'Your SCIM token was found in public and revoked',
    'this SCIM token, which you created for your organization, was found in public, and was revoked at once:',
    'Your identity provider provisions nobody now. Create a new token for it, and see the audit log.',
  ],
  deploy_hook: () => [
    'Your deploy hook was found in public and deleted',
    'the address of this deploy hook was found in public, and the hook was deleted at once:',
    'What calls it deploys nothing now. Create a new hook where it is still needed.',
  ],
};

/** Neither the name, which the owner chose, nor the address may add lines to the message. */
export function leakMail(username: string, { what, id, name, url }: LeakFacts): MailText {
  const [subject, ended, next] = WORDS[what](id);
  return {
    subject,
    text: paragraphs(
      `Hello ${username},`,
      ended,
      name === '' ? `  ${id}` : `  ${oneLine(name)} (${id})`,
      url === undefined ? 'The report did not say where.' : `It was found at:\n  ${oneLine(url)}`,
      'Remove it from there, although it opens nothing any more.',
      next,
    ),
  };
}

import type { MailText } from './auth-mail.templates.js';
import { oneLine, paragraphs } from './notice-text.js';

interface ExemptEntryFacts {
  readonly organization: string;
  readonly person: string;
}

export const exemptEntryMail = (username: string, { organization, person }: ExemptEntryFacts): MailText => ({
  subject: `${oneLine(person)} signed in without SSO`,
  text: paragraphs(
    `Hello ${username},`,
    `the organization ${oneLine(organization)} requires SSO. ${person}, an owner who is exempt from it, has signed ` +
      'in with a passkey instead.',
    'If this was expected, no action is needed. If not, remove the exemption with PATCH /api/v1/orgs/{org_id} and ' +
      '"sso_exempt_owners": [], and read the audit log of the organization.',
  ),
});

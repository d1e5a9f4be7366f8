import type { SsoConnection } from '../connections/sso-connection.js';
import type { SsoNoticeKind } from './sso-notice.job.js';

interface NoticeFacts {
  readonly orgName: string;
  readonly connection: SsoConnection | undefined;
}

interface NoticeText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

/** Writes the mails to owners. */
export function ssoNoticeTextOf(kind: SsoNoticeKind, { orgName, connection }: NoticeFacts): NoticeText {
  const name = `"${connection?.name ?? ''}" of the organization "${orgName}"`;
  switch (kind) {
    case 'requirement_lifted':
      return {
        subject: `SSO is no longer required in ${orgName}`,
        paragraphs: [
          `the organization "${orgName}" has no active SSO connection any more. So that nobody is locked out, ` +
            'members enter without SSO from now on.',
          'If this is not what you want, activate a connection and require SSO again. The audit log shows who made ' +
            'the change.',
        ],
      };
    case 'plan_lost':
      return {
        subject: `SSO of ${orgName} was paused`,
        paragraphs: [
          `the plan of the organization "${orgName}" no longer includes SSO. Its connections are paused, and SSO is ` +
            'not required any more, so that nobody is locked out. Members sign in another way.',
          'With a plan that includes SSO, activate the connections again.',
        ],
      };
    case 'certificate_expires':
      return {
        subject: `A certificate for SSO of ${orgName} expires soon`,
        paragraphs: [
          `the last certificate of the SSO connection ${name} expires on ${endOf(connection)}. From then on, nobody ` +
            'can sign in through it.',
          'Create a new certificate at your identity provider, and add it to the connection before it is used.',
        ],
      };
    case 'other_provider':
      return {
        subject: `The SSO provider of ${orgName} shows other metadata`,
        paragraphs: [
          `the metadata of the SSO connection ${name} now name another entity ID or another sign-in URL. They are ` +
            'not used, because another provider could let others in. The connection goes on with what it knew.',
          'If you have changed the provider, send its metadata to the connection again, and test it.',
        ],
      };
  }
}

const endOf = (connection: SsoConnection | undefined): string =>
  connection?.type === 'saml' ? connection.saml.certificatesEnd.toISOString().slice(0, 10) : 'an unknown day';

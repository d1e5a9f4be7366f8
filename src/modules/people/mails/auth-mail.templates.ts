/** What a message says; the token is in it and nowhere else. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

interface TokenMail {
  /** Of the page that takes the token; undefined where there is no dashboard, and the API takes it. */
  readonly link: string | undefined;
  readonly token: string;
}

export const verificationMail = (username: string, { link, token }: TokenMail): MailText => ({
  subject: 'Confirm your e-mail address',
  text: paragraphs(
    `Hello ${username},`,
    'please confirm that this is your e-mail address.',
    ...ways(link, `POST /api/v1/auth/verify-email:\n${token}`),
    'It works once, within 24 hours. If you have made no account, ignore this message.',
  ),
});

export const passwordResetMail = (username: string, { link, token }: TokenMail): MailText => ({
  subject: 'Set a new password',
  text: paragraphs(
    `Hello ${username},`,
    'somebody, probably you, asked for a new password for your account.',
    ...ways(link, `POST /api/v1/auth/password/reset, with the new password:\n${token}`),
    'It works once, within an hour, and ends all of your sessions. If you have not asked for it, ignore this message: your password stays as it is.',
  ),
});

export const invitationMail = (
  invitation: { organization: string; inviter: string; role: string },
  { link, token }: TokenMail,
): MailText => ({
  subject: `${invitation.inviter} invites you to an organization`,
  text: paragraphs(
    'Hello,',
    `${invitation.inviter} invites you to the organization "${invitation.organization}", with the role ${invitation.role}. Sign in, or sign up, with this e-mail address, to accept.`,
    ...ways(link, `POST /api/v1/invitations/accept:\n${token}`),
    'It works once, within seven days. If you do not know the sender, ignore this message.',
  ),
});

const ways = (link: string | undefined, call: string): string[] =>
  link === undefined ? [`Send this token to ${call}`] : ['Follow this link:', link, `Or send the token to ${call}`];

const paragraphs = (...texts: string[]): string => `${texts.join('\n\n')}\n`;

/** The text of a message. The token is in it and nowhere else. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

export interface TokenMail {
  /** Link to the page of the app that takes the token. */
  readonly link: string;
  readonly token: string;
}

export const verificationMail = (username: string, { link, token }: TokenMail): MailText => ({
  subject: 'Verify your email address',
  text: paragraphs(
    `Hello ${username},`,
    'please verify that this is your email address.',
    ...instructions(link, `POST /api/v1/auth/verify-email:\n${token}`),
    'It works once, within 24 hours. If you did not create an account, ignore this message.',
  ),
});

export const passwordResetMail = (username: string, { link, token }: TokenMail): MailText => ({
  subject: 'Reset your password',
  text: paragraphs(
    `Hello ${username},`,
    'we received a request to reset the password of your account.',
    ...instructions(link, `POST /api/v1/auth/password/reset, with the new password:\n${token}`),
    'It works once, within an hour, and ends all of your sessions. ' +
      'If you did not request it, ignore this message. Your password then stays the same.',
  ),
});

export const invitationMail = (
  invitation: { organization: string; inviter: string; role: string },
  { link, token }: TokenMail,
): MailText => ({
  subject: `${invitation.inviter} invites you to an organization`,
  text: paragraphs(
    'Hello,',
    `${invitation.inviter} invites you to the organization "${invitation.organization}", with the role ` +
      `${invitation.role}. To accept, sign in or sign up with this email address.`,
    ...instructions(link, `POST /api/v1/invitations/accept:\n${token}`),
    'It works once, within seven days. If you do not know the sender, ignore this message.',
  ),
});

export const instructions = (link: string, call: string): string[] => [
  'Follow this link:',
  link,
  `Or send the token to ${call}`,
];

const paragraphs = (...texts: string[]): string => `${texts.join('\n\n')}\n`;

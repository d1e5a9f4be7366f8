import type { MailText } from './auth-mail.templates.js';
import { formatTime, paragraphs } from './notice-text.js';

export const accountDeletedMail = (username: string, at: Date): MailText => ({
  subject: 'Your account was deleted',
  text: paragraphs(
    `Hello ${username},`,
    `your account was deleted on ${formatTime(at)}, with your personal organization and everything in it.`,
    'Your username and this email address are free again. Invoices are kept for as long as the law requires.',
    'If this was not you, contact the operator of the service: backups may still have your data.',
  ),
});

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type TestApp } from './test-app.js';

export interface Mail {
  readonly file: string;
  /** The permissions of the file. */
  readonly mode: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Empty when it has none. */
  readonly token: string;
}

/** The messages that a service with the mailer `log` has written so far, the oldest first. */
export function mailsOf(app: TestApp): Mail[] {
  const folder = join(app.dataDirectory, 'mail');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const file = join(folder, name);
      return { file, mode: statSync(file).mode & 0o777, ...parseMail(readFileSync(file, 'utf8')) };
    });
}

type MailSubject =
  | 'Verify'
  | 'An application'
  | 'Reset your password'
  | 'invites'
  | 'API key'
  | 'was changed'
  | 'New sign-in'
  | 'waits for your approval'
  | 'second factors'
  | 'connected accounts'
  | 'was refused'
  | 'will be removed'
  | 'were removed'
  | 'in public'
  | 'was deleted'
  | 'was paused'
  | 'no longer required'
  | 'without SSO'
  | 'expires soon'
  | 'shows other metadata'
  | 'Confirm your new'
  | 'about to change'
  | 'was entered for another';

/** Waits for the nth message to an address with these words in its subject; messages may overtake each other. */
export async function mailTo(app: TestApp, email: string, subject: MailSubject, nth = 1): Promise<Mail> {
  const wanted = (): Mail[] =>
    mailsOf(app).filter((mail) => mail.to.toLowerCase() === email.toLowerCase() && mail.subject.includes(subject));
  await eventually(() => wanted().length >= nth, `message ${nth} with ${subject} to ${email}`, 10_000);
  return wanted()[nth - 1]!;
}

/** Parses a plain-text message in any encoding. */
export function parseMail(source: string): Omit<Mail, 'file' | 'mode'> {
  const [head = '', ...rest] = source.replaceAll('\r\n', '\n').split('\n\n');
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'mi').exec(head)?.[1] ?? '';
  const body = rest.join('\n\n');
  const text = /quoted-printable/i.test(header('Content-Transfer-Encoding'))
    ? body.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : body;
  return { to: header('To'), subject: header('Subject'), text, token: /^svc_\w+$/m.exec(text)?.[0] ?? '' };
}

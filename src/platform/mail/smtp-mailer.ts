import { createTransport, type Transporter } from 'nodemailer';
import { type MailMessage, Mailer, MailNotSent } from './mailer.js';

/** A server that hangs must not hold a worker; the message is retried. */
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

interface SmtpSettings {
  readonly url: string;
  readonly from: string;
}

/** Sends e-mail through a mail server, with one connection for each message. */
export class SmtpMailer extends Mailer {
  private readonly transport: Transporter;

  constructor(private readonly settings: SmtpSettings) {
    super();
    this.transport = createTransport({
      url: settings.url,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, subject, text, about }: MailMessage): Promise<void> {
    try {
      await this.transport.sendMail({
        from: this.settings.from,
        to,
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      // The original error repeats the address, and often the conversation with the server.
      const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number };
      throw new MailNotSent(about, responseCode === undefined ? code : `${code}, ${responseCode}`);
    }
  }
}

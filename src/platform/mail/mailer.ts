export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  /** Plain text. Messages may carry tokens, so that nothing of it is ever logged. */
  readonly text: string;
  /** The id of whom or what it is about: what the log calls the message by. */
  readonly about: string;
}

/** Sends e-mail. */
export abstract class Mailer {
  /** @throws {MailNotSent} when no server took the message; it may be sent again. */
  abstract send(message: MailMessage): Promise<void>;
}

/** Says of what the server answered only what cannot hold an address. */
export class MailNotSent extends Error {
  constructor(about: string, reason: string) {
    super(`The message about ${about} was not sent: ${reason}.`);
  }
}

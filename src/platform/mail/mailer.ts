export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  /** Plain text. Messages may contain tokens, so the text is never logged. */
  readonly text: string;
  /** The id of the subject of the message, by which the log refers to it. */
  readonly about: string;
}

export abstract class Mailer {
  /** @throws {MailNotSent} when no server accepted the message; it may be sent again. */
  abstract send(message: MailMessage): Promise<void>;
}

/** The reason contains only those parts of the server's response that cannot hold an address. */
export class MailNotSent extends Error {
  constructor(about: string, reason: string) {
    super(`The message about ${about} was not sent: ${reason}.`);
  }
}

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../ids/ids.js';
import { MESSAGE_ID } from '../ids/platform.ids.js';
import type { Log } from '../logging/log.js';
import type { Clock } from '../time/clock.js';
import { type MailMessage, Mailer } from './mailer.js';

interface LogMailerGround {
  readonly dataDir: string;
  readonly from: string;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends nothing: each message becomes a file that only its owner can read, and the log names the file. */
export class LogMailer extends Mailer {
  constructor(private readonly ground: LogMailerGround) {
    super();
  }

  async send(message: MailMessage): Promise<void> {
    const { dataDir, ids, log } = this.ground;
    const folder = join(dataDir, 'mail');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${ids.next(MESSAGE_ID)}.eml`);
    await writeFile(file, this.compose(message), { flag: 'wx', mode: 0o600 }).catch(async (error: unknown) => {
      // On a full disk, the partial file is removed; the next attempt writes the message again.
      await rm(file, { force: true });
      throw error;
    });
    log.info(
      { file, about: message.about },
      'A message was written to a file instead of being sent. Set MAILER=smtp to send e-mail.',
    );
  }

  /** The text is not encoded, unlike in sent mail, so that people and programs can copy a token from it. */
  private compose({ to, subject, text }: MailMessage): string {
    const { from, clock } = this.ground;
    const headers = {
      From: from,
      To: to,
      Subject: subject,
      Date: clock.now().toUTCString(),
      'MIME-Version': '1.0',
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Transfer-Encoding': '8bit',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}\n`);
    return `${lines.join('')}\n${text}`;
  }
}

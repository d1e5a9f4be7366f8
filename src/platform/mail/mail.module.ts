import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Ids } from '../ids/ids.js';
import { Log } from '../logging/log.js';
import { Clock } from '../time/clock.js';
import { LogMailer } from './log-mailer.js';
import { Mailer } from './mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

function mailerOf({ mail, dataDir }: Config, ids: Ids, clock: Clock, log: Log): Mailer {
  if (mail.mailer === 'log') return new LogMailer({ dataDir, from: mail.from, ids, clock, log });
  if (mail.smtpUrl === undefined) throw new Error('SMTP_URL is not set.');
  return new SmtpMailer({ url: mail.smtpUrl, from: mail.from });
}

@Module({
  providers: [{ provide: Mailer, inject: [Config, Ids, Clock, Log], useFactory: mailerOf }],
  exports: [Mailer],
})
export class MailModule {}

import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/queues/queue-definition.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import type { AuthMailJob } from './auth-mail.queue.js';

/** A job that runs twice sends twice, and the later message works: of invitations it alone. */
@Injectable()
export class AuthMailProcessor implements JobHandler<AuthMailJob> {
  constructor(
    private readonly mails: AuthMailsService,
    private readonly notices: SecurityNoticesService,
  ) {}

  handle({ kind, subjectId }: AuthMailJob): Promise<void> {
    switch (kind) {
      case 'verify_email': return this.mails.sendVerification(subjectId);
      case 'reset_password': return this.mails.sendPasswordReset(subjectId);
      case 'invitation': return this.mails.sendInvitation(subjectId);
      case 'key_created': return this.notices.sendKeyCreated(subjectId);
      case 'password_changed': return this.notices.sendPasswordChanged(subjectId);
      case 'new_sign_in': return this.notices.sendNewSignIn(subjectId);
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import type { AuthMailPayload } from '../../auth/auth-mail.job.js';
import { authMailJob } from '../../auth/auth-mail.job.js';

/** A job that runs twice sends two messages. Both tokens work, except that an invitation accepts only the later one. */
@Injectable()
@Handles(authMailJob)
export class AuthMailProcessor implements JobHandler<AuthMailPayload> {
  constructor(
    private readonly mails: AuthMailsService,
    private readonly notices: SecurityNoticesService,
  ) {}

  handle({ kind, subjectId }: AuthMailPayload): Promise<void> {
    switch (kind) {
      case 'verify_email':
        return this.mails.sendVerification(subjectId);
      case 'reset_password':
        return this.mails.sendPasswordReset(subjectId);
      case 'invitation':
        return this.mails.sendInvitation(subjectId);
      case 'key_created':
        return this.notices.sendKeyCreated(subjectId);
      case 'grant_made':
        return this.notices.sendGrantMade(subjectId);
      case 'password_changed':
        return this.notices.sendPasswordChanged(subjectId);
      case 'new_sign_in':
        return this.notices.sendNewSignIn(subjectId);
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { EmailChangeMailsService } from '../mails/email-change-mails.service.js';
import { FactorNoticesService } from '../mails/factor-notices.service.js';
import { IdentityNoticesService } from '../mails/identity-notices.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import { SsoNoticesService } from '../mails/sso-notices.service.js';
import type { AuthMailPayload } from '../../auth/auth-mail.job.js';
import { authMailJob } from '../../auth/auth-mail.job.js';

/** A job that runs twice sends two messages. Both tokens work, except that an invitation accepts only the later one. */
@Injectable()
@Handles(authMailJob)
export class AuthMailProcessor implements JobHandler<AuthMailPayload> {
  constructor(
    private readonly mails: AuthMailsService,
    private readonly notices: SecurityNoticesService,
    private readonly factorNotices: FactorNoticesService,
    private readonly emailChanges: EmailChangeMailsService,
    private readonly identityNotices: IdentityNoticesService,
    private readonly ssoNotices: SsoNoticesService,
  ) {}

  handle({ kind, subjectId, personId, leak }: AuthMailPayload): Promise<void> {
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
      case 'factors_changed':
        return this.factorNotices.sendChanged(subjectId);
      case 'passkey_refused':
        return this.factorNotices.sendRefused(subjectId);
      case 'factor_recovery':
        return this.factorNotices.sendRecovery(subjectId);
      case 'factors_recovered':
        return this.factorNotices.sendRecovered(subjectId);
      case 'token_leaked':
        return this.notices.sendLeaked(subjectId, leak);
      case 'prove_email':
        return this.emailChanges.sendProof(subjectId);
      case 'approve_email':
        return this.emailChanges.sendApproval(subjectId);
      case 'email_changed':
        return this.emailChanges.sendChanged(subjectId);
      case 'identities_changed':
        return this.identityNotices.sendChanged(subjectId);
      case 'sso_exempt_entry':
        return this.ssoNotices.sendExemptEntry(subjectId, personId ?? '');
    }
  }
}
